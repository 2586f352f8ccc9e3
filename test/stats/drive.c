#include "drive.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

const char *need_env(const char *name) {
    const char *value = getenv(name);
    if (!value)
        fail_msg("%s is not set: run it by ctest", name);
    return value;
}

static void become(const struct live *live, unsigned threads, const char *const *environment) {
    char number[16], socket_variable[300];
    int errors = open(live->errors, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(errors, STDERR_FILENO);
    snprintf(socket_variable, sizeof socket_variable, "PK11CACHE_SOCKET=%s", live->socket);
    putenv(socket_variable);
    for (; environment && *environment; environment++)
        putenv((char *)(uintptr_t)*environment);
    if (getenv("PK11CACHE_SOCKET") && !*getenv("PK11CACHE_SOCKET"))
        unsetenv("PK11CACHE_SOCKET"); /* "PK11CACHE_SOCKET=": where it is without the variable */
    const char *more = getenv("ALSO_PRELOAD");
    char preload[1024];
    snprintf(preload, sizeof preload, "%s%s%s", need_env("PK11CACHE_LIBRARY"), more ? ":" : "", more ? more : "");
    if (!getenv("BARE"))
        setenv("LD_PRELOAD", preload, 1);
    snprintf(number, sizeof number, "%u", threads);
    execl(need_env("PK11CACHE_LIVE"), "live", number, (char *)NULL);
    _exit(127);
}

struct live live_start(unsigned threads, const char *const *environment) {
    struct live live = {.folder = "/tmp/pk11cache-stats.XXXXXX"};
    int to[2], from[2];
    char line[64];
    assert_non_null(mkdtemp(live.folder));
    snprintf(live.socket, sizeof live.socket, "%s/s", live.folder);
    snprintf(live.errors, sizeof live.errors, "%s/errors", live.folder);
    assert_int_equal(pipe2(to, O_CLOEXEC) | pipe2(from, O_CLOEXEC), 0);
    live.pid = fork();
    if (live.pid == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        become(&live, threads, environment);
    }
    close(to[0]);
    close(from[1]);
    live.to = fdopen(to[1], "w");
    live.from = fdopen(from[0], "r");
    assert_non_null(fgets(line, sizeof line, live.from));
    assert_int_equal(strncmp(line, "ready ", 6), 0);
    return live;
}

void live_send(struct live *live, const char *line) {
    assert_true(fprintf(live->to, "%s\n", line) > 0 && fflush(live->to) == 0);
}

long live_await(struct live *live) {
    char line[128] = "";
    long number = -1, wrong = -1;
    assert_non_null(fgets(line, sizeof line, live->from));
    assert_int_equal(sscanf(line, "done %ld %ld", &number, &wrong), 2);
    assert_int_equal(wrong, 0);
    return number;
}

long live_tell(struct live *live, const char *line) {
    live_send(live, line);
    return live_await(live);
}

void live_end(struct live *live) {
    int status = -1;
    fclose(live->to);
    assert_int_equal(waitpid(live->pid, &status, 0), live->pid);
    assert_int_equal(status, 0);
    fclose(live->from);
    unlink(live->errors);
    unlink(live->socket);
    assert_int_equal(rmdir(live->folder), 0);
}

unsigned live_said(const struct live *live, const char *text) {
    char line[1024];
    unsigned count = 0;
    FILE *file = fopen(live->errors, "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return count;
}

static int connect_once(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

int socket_connect(const char *path) {
    double end = seconds_now() + 5;
    int fd;
    while ((fd = connect_once(path)) < 0 && seconds_now() < end)
        usleep(2000);
    return fd;
}

bool socket_comes(const char *path) {
    int fd = socket_connect(path);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

char *ask_on(int fd, const char *text, size_t length) {
    size_t used = 0, size = 1 << 20;
    char *answer = malloc(size);
    ssize_t n;
    assert_non_null(answer);
    if (length)
        assert_int_equal(send(fd, text, length, MSG_NOSIGNAL), (ssize_t)length);
    while (used + 1 < size && (n = recv(fd, answer + used, size - used - 1, 0)) > 0)
        used += (size_t)n;
    answer[used] = 0;
    close(fd);
    return answer;
}

char *ask(const char *path, const char *line) {
    char text[512];
    int fd = socket_connect(path);
    assert_true(fd >= 0);
    snprintf(text, sizeof text, "%s\n", line);
    return ask_on(fd, text, strlen(text));
}

unsigned long long number_in(const char *answer, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(answer, name); at; at = strstr(at + 1, name)) {
        const char *after = at + length + strspn(at + length, "\": ");
        if ((at == answer || strchr(" \n\",{", at[-1])) && after > at + length && *after >= '0' && *after <= '9')
            return strtoull(after, NULL, 10);
    }
    fail_msg("no %s in: %.300s", name, answer);
    return 0;
}
