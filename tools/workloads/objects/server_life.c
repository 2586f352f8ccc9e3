#include "server_life.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int ready_pipe = -1;

static bool fault(const char *what, const char *name) {
    fprintf(stderr, "object-server: %s%s%s: %s\n", what, *name ? " " : "", name, strerror(errno));
    return false;
}

static _Noreturn void await(int from) {
    char byte;
    ssize_t n;
    do
        n = read(from, &byte, 1);
    while (n < 0 && errno == EINTR);
    _exit(n == 1 ? 0 : 1);
}

bool life_daemonise(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return fault("no pipe", "");
    pid_t child = fork();
    if (child < 0)
        return fault("no process for the background", "");
    if (child > 0) {
        close(ends[1]);
        await(ends[0]);
    }
    close(ends[0]);
    ready_pipe = ends[1];
    setsid();
    return true;
}

static bool write_pid(const char *file) {
    FILE *to = fopen(file, "we");
    bool fine = to && fprintf(to, "%d\n", (int)getpid()) > 0;
    if (to)
        fine = fclose(to) == 0 && fine;
    return fine || fault("the pid file can't be written:", file);
}

/* A pipe of the caller's that stays open would keep it waiting. */
static bool let_go(const char *log) {
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    int errors = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : nowhere;
    if (errors < 0)
        return fault("the log can't be written:", log);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    if (write(ready_pipe, "r", 1) != 1)
        return fault("the first process is gone", "");
    close(ready_pipe);
    if (errors != nowhere)
        close(errors);
    close(nowhere);
    return true;
}

bool life_ready(const char *pid_file, const char *log, bool in_background) {
    return (!pid_file || write_pid(pid_file)) && (!in_background || let_go(log));
}

int life_signals(void) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    int fd = signalfd(-1, &ends, SFD_CLOEXEC);
    if (fd < 0)
        fault("no signalfd", "");
    return fd;
}
