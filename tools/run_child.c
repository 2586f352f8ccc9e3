/* The process that `pk11cache run` starts: its environment, signals, and what is mapped into it. */
#include "command.h"
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals that are passed on, with SIGCHLD. One that is ignored (nohup) stays ignored, here and in the program. */
static void signals_of_interest(sigset_t *set) {
    static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGALRM};
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction now;
        if (sigaction(passed_on[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(set, passed_on[i]);
    }
}

static _Noreturn void become_command(const struct run *run, const char *preload) {
    setenv("LD_PRELOAD", preload, 1);
    setenv("PK11CACHE_REPORT", run->report, 1);
    setenv("PK11CACHE_CHILDREN", run->children ? "yes" : "no", 1);
    for (int i = 0; i < run->settings_count; i++)
        putenv((char *)run->settings[i]);
    execvp(run->command[0], run->command);
    int status = errno == ENOENT || errno == ENOTDIR ? 127 : 126; /* as shells have it */
    complain("%s: %s", run->command[0], strerror(errno));
    _exit(status);
}

/* Polled while it runs, since a report may be missing afterwards: a killed process writes none. */
static void look_at_maps(const struct run *run, struct run_end *end) {
    char path[64], line[PATH_MAX + 128];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)end->pid);
    FILE *maps = fopen(path, "re");
    bool library = false, nss = false;
    while (maps && fgets(line, sizeof line, maps)) {
        library = library || strstr(line, run->library);
        nss = nss || strstr(line, "/libnss3.so");
    }
    if (maps)
        fclose(maps);
    end->saw_library = end->saw_library || library;
    end->saw_nss = end->saw_nss || (nss && library);
    end->saw_nss_alone = end->saw_nss_alone || (nss && !library);
}

/* A signal of the terminal (si_code SI_KERNEL) reaches the program by itself, with the rest of its process group. */
static void pass_on(const siginfo_t *info, pid_t pid) {
    if (info->si_signo != SIGCHLD && info->si_code <= 0)
        kill(pid, info->si_signo);
}

static bool ended(struct run_end *end) {
    pid_t done = waitpid(end->pid, &end->status, WNOHANG);
    return done == end->pid || (done < 0 && errno == ECHILD);
}

static void wait_for_end(const struct run *run, struct run_end *end, const sigset_t *signals) {
    for (long pause = 1000000; !ended(end); pause = pause < 200000000 ? pause * 2 : pause) {
        siginfo_t info;
        struct timespec time = {pause / 1000000000, pause % 1000000000};
        bool seen_all = end->saw_library && end->saw_nss;
        if (sigtimedwait(signals, &info, seen_all ? NULL : &time) > 0)
            pass_on(&info, end->pid);
        else if (!seen_all)
            look_at_maps(run, end);
    }
}

bool run_to_the_end(const struct run *run, struct run_end *end) {
    sigset_t signals, before;
    char *preload = library_preload_list(run->library, getenv("LD_PRELOAD"));
    *end = (struct run_end){0};
    if (!preload)
        return false;
    /* Blocked before the fork, so that none that comes meanwhile is lost. */
    signals_of_interest(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    end->pid = fork();
    if (end->pid == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        become_command(run, preload);
    }
    free(preload);
    if (end->pid > 0)
        wait_for_end(run, end, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return end->pid > 0;
}
