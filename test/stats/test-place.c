/* Where the socket is, who may have it, and when it goes.
 * Row "heaptrack". Tried: socket_remove without `owner == getpid()`: after the exit of a child the parent's socket is
 * gone (one_path_for_a_family). */
#include "drive.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static void expect_pid(const char *path, pid_t pid) {
    char *answer = ask(path, "show info");
    assert_int_equal(number_in(answer, "pid"), pid);
    free(answer);
}

static bool exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

static void mode_and_removal(void **state) {
    (void)state;
    struct live live = live_start(1, NULL);
    struct stat status;
    live_tell(&live, "run 10");
    expect_pid(live.socket, live.pid);
    assert_int_equal(stat(live.socket, &status), 0);
    assert_int_equal(status.st_mode, S_IFSOCK | 0600);
    char socket_name[256];
    snprintf(socket_name, sizeof socket_name, "%s", live.socket);
    fclose(live.to);
    int code = -1;
    waitpid(live.pid, &code, 0);
    assert_int_equal(code, 0);
    assert_false(exists(socket_name));
    fclose(live.from);
    unlink(live.errors);
    rmdir(live.folder);
}

static void in_the_runtime_directory(void **state) {
    (void)state;
    char folder[] = "/tmp/pk11cache-runtime.XXXXXX", variable[128], path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(variable, sizeof variable, "RUNTIME_DIRECTORY=%s:/another", folder);
    struct live live = live_start(1, (const char *const[]){"PK11CACHE_SOCKET=", variable, NULL});
    snprintf(path, sizeof path, "%s/pk11cache.%d.sock", folder, (int)live.pid);
    live_tell(&live, "run 10");
    expect_pid(path, live.pid);
    live_end(&live);
    assert_int_equal(rmdir(folder), 0); /* nothing is left in it */
}

static void in_run(void **state) {
    (void)state;
    char path[128];
    if (geteuid() != 0)
        skip();
    struct live live = live_start(1, (const char *const[]){"PK11CACHE_SOCKET=", NULL});
    const char *name = strrchr(need_env("PK11CACHE_LIVE"), '/') + 1;
    snprintf(path, sizeof path, "/run/pk11cache/%.15s.%d.sock", name, (int)live.pid);
    live_tell(&live, "run 10");
    expect_pid(path, live.pid);
    live_end(&live);
    assert_false(exists(path));
}

/* Each of these has no socket, works all the same, and says why in one line. */
static void said_once(const char *variable, const char *why) {
    struct live live = live_start(2, (const char *const[]){variable, NULL});
    assert_int_equal(live_tell(&live, "run 100"), 200);
    usleep(300000);
    if (why)
        assert_int_equal(live_said(&live, why), 1);
    assert_int_equal(live_said(&live, "pk11cache["), why != NULL);
    assert_false(exists(live.socket));
    live_end(&live);
}

static void what_is_in_the_way(void **state) {
    (void)state;
    char longer[256] = "PK11CACHE_SOCKET=/tmp/", file[] = "/tmp/pk11cache-file.XXXXXX", variable[128];
    memset(longer + strlen(longer), 'x', 108);
    said_once(longer, "is longer than 107 bytes");
    said_once("PK11CACHE_SOCKET=/proc/nothing", "no stats socket: /proc/nothing");
    said_once("PK11CACHE_SOCKET=/no/such/folder/s", "No such file or directory");
    said_once("PK11CACHE_SOCKET=here", "is no absolute path");
    said_once("PK11CACHE_SOCKET=none", NULL);
    int fd = mkstemp(file);
    assert_int_equal(write(fd, "precious", 8), 8);
    snprintf(variable, sizeof variable, "PK11CACHE_SOCKET=%s", file);
    said_once(variable, "another live process, or is no socket");
    assert_int_equal(lseek(fd, 0, SEEK_END), 8);
    assert_true(exists(file));
    close(fd);
    unlink(file);
}

static void anothers(void **state) {
    (void)state;
    struct live first = live_start(1, NULL);
    char variable[300];
    live_tell(&first, "run 10");
    expect_pid(first.socket, first.pid);
    snprintf(variable, sizeof variable, "PK11CACHE_SOCKET=%s", first.socket);
    struct live second = live_start(1, (const char *const[]){variable, NULL});
    live_tell(&second, "run 10");
    usleep(300000);
    assert_int_equal(live_said(&second, "another live process"), 1);
    live_end(&second);
    expect_pid(first.socket, first.pid);
    live_end(&first);
}

static void stale_is_replaced(void **state) {
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/pk11cache-stale.XXXXXX"};
    char variable[160];
    close(mkstemp(address.sun_path));
    unlink(address.sun_path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address) | listen(fd, 1), 0);
    close(fd);
    assert_true(exists(address.sun_path));
    snprintf(variable, sizeof variable, "PK11CACHE_SOCKET=%s", address.sun_path);
    struct live live = live_start(1, (const char *const[]){variable, NULL});
    live_tell(&live, "run 10");
    usleep(300000);
    expect_pid(address.sun_path, live.pid);
    live_end(&live);
    assert_false(exists(address.sun_path));
}

static void killed_leaves_a_stale_one(void **state) {
    (void)state;
    struct live killed = live_start(1, NULL);
    char variable[300], folder[64], errors[128];
    assert_true(socket_comes(killed.socket));
    kill(killed.pid, SIGKILL);
    waitpid(killed.pid, NULL, 0);
    snprintf(folder, sizeof folder, "%s", killed.folder);
    snprintf(errors, sizeof errors, "%s", killed.errors);
    assert_true(exists(killed.socket));
    snprintf(variable, sizeof variable, "PK11CACHE_SOCKET=%s", killed.socket);
    struct live next = live_start(1, (const char *const[]){variable, NULL});
    usleep(300000);
    expect_pid(killed.socket, next.pid);
    live_end(&next);
    assert_false(exists(killed.socket));
    fclose(killed.to);
    fclose(killed.from);
    unlink(errors);
    assert_int_equal(rmdir(folder), 0);
}

static unsigned sockets_open_in(pid_t pid) {
    char path[64], target[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        count += strncmp(target, "socket:", 7) == 0;
    }
    closedir(folder);
    return count;
}

/* The child has its own; neither its life nor its death touches the parent's, and no descriptor of ours is passed on.
 */
static void of_a_forked_child(void **state) {
    (void)state;
    char folder[] = "/tmp/pk11cache-fork.XXXXXX", variable[128], own[128], childs[128];
    assert_non_null(mkdtemp(folder));
    snprintf(variable, sizeof variable, "PK11CACHE_SOCKET=%s/%%p", folder);
    struct live live = live_start(1, (const char *const[]){variable, NULL});
    snprintf(own, sizeof own, "%s/%d", folder, (int)live.pid);
    live_tell(&live, "run 10");
    int open_client = socket_connect(own); /* connected over the fork */
    pid_t child = (pid_t)live_tell(&live, "fork");
    snprintf(childs, sizeof childs, "%s/%d", folder, (int)child);
    char *answer = ask_on(open_client, "show info\n", 10); /* ends: the child holds no copy open */
    assert_int_equal(number_in(answer, "pid"), live.pid);
    free(answer);
    expect_pid(childs, child);
    answer = ask(childs, "show stat");
    assert_int_equal(number_in(answer, "calls"), 30);
    free(answer);
    expect_pid(own, live.pid);
    assert_int_equal(sockets_open_in(child), 0);
    assert_int_equal(sockets_open_in(live.pid), 0);
    kill(child, SIGKILL);
    assert_int_equal(live_tell(&live, "forkexit"), 0);
    expect_pid(own, live.pid);
    unlink(childs); /* killed: it could not */
    live_end(&live);
    assert_int_equal(rmdir(folder), 0); /* the one that exited has removed its own */
}

static void one_path_for_a_family(void **state) {
    (void)state;
    struct live live = live_start(1, NULL);
    live_tell(&live, "run 10");
    expect_pid(live.socket, live.pid);
    assert_int_equal(live_tell(&live, "forkexit"), 0);
    assert_int_equal(live_said(&live, "another live process"), 1);
    expect_pid(live.socket, live.pid);
    live_end(&live);
}

static void the_program_closes_everything(void **state) {
    (void)state;
    struct live live = live_start(2, NULL);
    live_tell(&live, "run 10");
    expect_pid(live.socket, live.pid);
    live_send(&live, "closefrom");
    for (int i = 0; i < 40; i++) {
        usleep(20000);
        expect_pid(live.socket, live.pid);
    }
    live_await(&live);
    live_tell(&live, "run 10");
    expect_pid(live.socket, live.pid);
    live_end(&live);
}

/* The program's own pipe must end when the program closes it, whatever our thread does. */
static void holds_nothing_open(void **state) {
    (void)state;
    struct live live = live_start(1, NULL);
    char target[64], path[64];
    assert_true(socket_comes(live.socket));
    usleep(200000);
    snprintf(path, sizeof path, "/proc/%d/task", (int)live.pid);
    DIR *tasks = opendir(path);
    unsigned files = 0, helpers = 0;
    for (struct dirent *task; (task = readdir(tasks));) {
        char comm[32] = "";
        snprintf(path, sizeof path, "/proc/%d/task/%.16s/comm", (int)live.pid, task->d_name);
        int fd = open(path, O_RDONLY);
        if (task->d_name[0] == '.' || fd < 0 || read(fd, comm, sizeof comm - 1) <= 0 ||
            strcmp(comm, "pk11cache\n") != 0)
            continue;
        helpers++;
        snprintf(path, sizeof path, "/proc/%d/task/%.16s/fd", (int)live.pid, task->d_name);
        DIR *folder = opendir(path);
        for (struct dirent *entry; (entry = readdir(folder));) {
            ssize_t n = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
            target[n > 0 ? n : 0] = 0;
            if (n > 0 && strcmp(target, "/dev/null") != 0) {
                assert_int_equal(strncmp(target, "socket:", 7), 0);
                files++;
            }
        }
        closedir(folder);
    }
    closedir(tasks);
    assert_int_equal(helpers, 1);
    assert_int_equal(files, 1);
    live_end(&live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mode_and_removal),
        cmocka_unit_test(in_the_runtime_directory),
        cmocka_unit_test(in_run),
        cmocka_unit_test(what_is_in_the_way),
        cmocka_unit_test(anothers),
        cmocka_unit_test(stale_is_replaced),
        cmocka_unit_test(killed_leaves_a_stale_one),
        cmocka_unit_test(of_a_forked_child),
        cmocka_unit_test(one_path_for_a_family),
        cmocka_unit_test(the_program_closes_everything),
        cmocka_unit_test(holds_nothing_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
