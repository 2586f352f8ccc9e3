/* Slow, silent, rude and numerous clients: the program, other clients and the exit are not delayed, memory stays as it
 * was, and each is counted. Bounds are generous: they tell a hang from an answer, not fast from slow. */
#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { AT_ONCE = 2 }; /* seconds: below the five that a silent client has */

static unsigned long long stat_of(const struct live *live, const char *name) {
    char *answer = ask(live->socket, "show stat");
    unsigned long long number = number_in(answer, name);
    free(answer);
    return number;
}

static long resident_pages(pid_t pid) {
    char path[64];
    long all, resident = -1;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &all, &resident), 2);
    fclose(file);
    return resident;
}

static void expect_service(struct live *live) {
    double start = seconds_now();
    char *answer = ask(live->socket, "show info");
    assert_int_equal(number_in(answer, "pid"), live->pid);
    free(answer);
    live_tell(live, "run 100");
    assert_true(seconds_now() - start < AT_ONCE);
}

static bool is_closed_within(int fd, double seconds) {
    char buffer[4096];
    double end = seconds_now() + seconds;
    ssize_t n;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (((n = recv(fd, buffer, sizeof buffer, 0)) > 0 || (n < 0 && errno == EAGAIN)) && seconds_now() < end)
        usleep(1000);
    return n == 0 || (n < 0 && errno != EAGAIN);
}

static void silent_and_trickling(void **state) {
    (void)state;
    struct live live = live_start(2, NULL);
    int silent = socket_connect(live.socket), trickling = socket_connect(live.socket);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(send(trickling, "x", 1, MSG_NOSIGNAL), 1);
        expect_service(&live);
    }
    assert_true(is_closed_within(silent, 20));
    assert_true(is_closed_within(trickling, 20));
    assert_int_equal(stat_of(&live, "socket_timeouts"), 2);
    close(silent);
    close(trickling);
    live_end(&live);
}

static void endless_line(void **state) {
    (void)state;
    static char block[1 << 20];
    struct live live = live_start(2, NULL);
    memset(block, 'a', sizeof block);
    free(ask(live.socket, "show info"));
    long before = resident_pages(live.pid);
    int fd = socket_connect(live.socket);
    size_t sent = 0;
    for (ssize_t n; sent < (size_t)1 << 30 && (n = send(fd, block, sizeof block, MSG_NOSIGNAL)) > 0;
         sent += (size_t)n) {
    }
    assert_true(sent < (size_t)8 << 20);
    close(fd);
    expect_service(&live);
    assert_int_equal(stat_of(&live, "socket_overlong"), 1);
    assert_true(resident_pages(live.pid) - before < 512);
    live_end(&live);
}

static void a_thousand(void **state) {
    (void)state;
    enum { CROWD = 1000 };
    struct rlimit limit = {4096, 4096};
    static int fds[CROWD];
    struct live live = live_start(2, NULL);
    setrlimit(RLIMIT_NOFILE, &limit);
    free(ask(live.socket, "show stat; show stat json; show metrics"));
    long before = resident_pages(live.pid);
    for (int i = 0; i < CROWD; i++) {
        fds[i] = socket_connect(live.socket);
        assert_true(fds[i] >= 0);
        if (i % 100 == 99)
            expect_service(&live);
    }
    expect_service(&live);
    assert_true(stat_of(&live, "socket_evicted") >= CROWD - 50);
    assert_true(resident_pages(live.pid) - before < 512);
    double start = seconds_now();
    live_end(&live); /* with 16 of them still connected */
    assert_true(seconds_now() - start < AT_ONCE);
    for (int i = 0; i < CROWD; i++)
        close(fds[i]);
}

static void half_closed(void **state) {
    (void)state;
    struct live live = live_start(1, NULL);
    int fd = socket_connect(live.socket);
    assert_int_equal(send(fd, "show info", 9, 0), 9); /* without an end of line */
    shutdown(fd, SHUT_WR);
    char *answer = ask_on(fd, "", 0);
    assert_int_equal(number_in(answer, "pid"), live.pid);
    free(answer);
    fd = socket_connect(live.socket);
    shutdown(fd, SHUT_WR);
    assert_true(is_closed_within(fd, AT_ONCE));
    close(fd);
    fd = socket_connect(live.socket);
    shutdown(fd, SHUT_RD);
    assert_int_equal(send(fd, "show stat json\n", 15, MSG_NOSIGNAL), 15); /* the answer meets EPIPE */
    expect_service(&live);
    close(fd);
    live_end(&live);
}

static void never_reads(void **state) {
    (void)state;
    struct live live = live_start(2, NULL);
    int fds[16], least = 4096;
    char line[1024] = "prompt";
    for (int i = 0; i < 30; i++)
        strcat(line, ";show stat json");
    strcat(line, "\n");
    long before = resident_pages(live.pid);
    for (int i = 0; i < 16; i++) {
        fds[i] = socket_connect(live.socket);
        setsockopt(fds[i], SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
        for (int n = 0; n < 4; n++)
            send(fds[i], line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (int i = 0; i < 10; i++)
        expect_service(&live);
    assert_true(resident_pages(live.pid) - before < 16 * 256 + 512); /* 1 MiB each at most */
    double start = seconds_now();
    live_end(&live);
    assert_true(seconds_now() - start < AT_ONCE);
    for (int i = 0; i < 16; i++)
        close(fds[i]);
}

static void words_at_random(void **state) {
    (void)state;
    static const char *const words[] = {"show",
                                        "stat",
                                        "json",
                                        "info",
                                        "keys",
                                        "sites",
                                        "config",
                                        "metrics",
                                        "set",
                                        "flush",
                                        "reset",
                                        "help",
                                        "engine",
                                        "sample",
                                        "0",
                                        "-1",
                                        "99999999999999999999",
                                        "stream",
                                        ";",
                                        ";;;;",
                                        "\t",
                                        "prompt",
                                        "quit",
                                        "%s%n",
                                        "\"",
                                        "\x80\xff",
                                        "a=b",
                                        "../../x",
                                        "idle_ttl",
                                        "max_keys",
                                        "\r",
                                        "only"};
    struct live live = live_start(4, NULL);
    unsigned seed = 20261201, errors = 0;
    live_send(&live, "run 20000");
    for (int i = 0; i < 1500; i++) {
        char line[512] = "";
        for (int n = rand_r(&seed) % 9; n >= 0; n--) {
            strcat(line, words[(unsigned)rand_r(&seed) % (sizeof words / sizeof *words)]);
            strcat(line, rand_r(&seed) % 8 ? " " : "");
        }
        if (strstr(line, "prompt"))
            strcat(line, ";quit");
        char *answer = ask(live.socket, line);
        for (char *at = answer; (at = strstr(at, "error: ")); at++) {
            assert_true(at == answer || at[-1] == '\n');
            errors++;
        }
        assert_null(strstr(answer, "(null)"));
        free(answer);
    }
    for (int i = 0; i < 500; i++) { /* and no words at all */
        char line[600];
        size_t length = (size_t)rand_r(&seed) % sizeof line;
        for (size_t n = 0; n < length; n++)
            line[n] = (char)(rand_r(&seed) >> 8);
        int fd = socket_connect(live.socket);
        if (length)
            send(fd, line, length, MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        free(ask_on(fd, "", 0));
    }
    assert_int_equal(live_await(&live), 80000);
    assert_true(errors > 1000);
    free(ask(live.socket, "set engine stream"));
    expect_service(&live);
    live_end(&live);
}

static void a_person(void **state) {
    (void)state;
    struct live live = live_start(1, NULL);
    int fd = socket_connect(live.socket);
    assert_int_equal(send(fd, "prompt\n", 7, 0), 7);
    usleep(50000);
    char *answer = ask_on(fd, "show info\r\nset sample 5\n\nbogus\nquit\n", 36);
    assert_non_null(strstr(answer, "> version:"));
    assert_non_null(strstr(answer, "> ok: sample was 256, is 5\n"));
    assert_non_null(strstr(answer, "> error: unknown command"));
    free(answer);
    live_end(&live);
}

static void control_off(void **state) {
    (void)state;
    struct live live = live_start(1, (const char *const[]){"PK11CACHE_CONTROL=off", NULL});
    static const char *const refused[] = {"set engine off", "flush", "reset", "show info; flush"};
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        char *answer = ask(live.socket, refused[i]);
        assert_non_null(strstr(answer, "error: PK11CACHE_CONTROL=off"));
        free(answer);
    }
    char *answer = ask(live.socket, "show info; help");
    assert_non_null(strstr(answer, "engine: stream"));
    assert_non_null(strstr(answer, "show metrics"));
    assert_null(strstr(answer, "error"));
    free(answer);
    live_end(&live);
}

/* Even where the file modes let another user in, the library does not. */
static void another_user(void **state) {
    (void)state;
    if (geteuid() != 0)
        skip();
    struct live live = live_start(1, NULL);
    assert_true(socket_comes(live.socket));
    assert_int_equal(chmod(live.folder, 0755) | chmod(live.socket, 0666), 0);
    pid_t child = fork();
    if (child == 0) {
        char buffer[256] = "";
        if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
            _exit(3);
        int fd = socket_connect(live.socket);
        if (fd < 0 || recv(fd, buffer, sizeof buffer - 1, 0) <= 0)
            _exit(4);
        _exit(strstr(buffer, "error: permission denied") && recv(fd, buffer, sizeof buffer, 0) <= 0 ? 0 : 5);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(stat_of(&live, "socket_denied"), 1);
    live_end(&live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_and_trickling),
        cmocka_unit_test(endless_line),
        cmocka_unit_test(a_thousand),
        cmocka_unit_test(half_closed),
        cmocka_unit_test(never_reads),
        cmocka_unit_test(words_at_random),
        cmocka_unit_test(a_person),
        cmocka_unit_test(control_off),
        cmocka_unit_test(another_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
