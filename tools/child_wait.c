/* The loop around all children: output, ends, signals. */
#include "child_inside.h"
#include "command.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN_MAX = 4 };

static struct child *children[CHILDREN_MAX];
static sigset_t mask_before;
static int signals = -1, interrupted, interruptions;

/* An ignored signal that is blocked would still be read: it stays ignored (nohup, a shell's background job). */
static void signals_of_interest(sigset_t *set) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction now;
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(set, ends[i]);
    }
}

bool children_begin(void) {
    sigset_t set;
    signals_of_interest(&set);
    signal(SIGCHLD, SIG_DFL); /* ignored by the one who started us, wait4 would find nobody */
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0 || sigprocmask(SIG_BLOCK, &set, &mask_before) || prctl(PR_SET_CHILD_SUBREAPER, 1L)) {
        complain("the signals can't be taken: %s", strerror(errno));
        return false;
    }
    return true;
}

void children_end(void) {
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i])
            child_stop(children[i], 0);
    close(signals);
    signals = -1;
    prctl(PR_SET_CHILD_SUBREAPER, 0L);
    children_give_signals_back();
}

void children_give_signals_back(void) {
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

int children_interrupted(void) {
    return interrupted;
}

bool children_register(struct child *child) {
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (!children[i]) {
            children[i] = child;
            return true;
        }
    return false;
}

void children_forget(const struct child *child) {
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] == child)
            children[i] = NULL;
}

static struct child *child_of(pid_t pid) {
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] && children[i]->pid == pid)
            return children[i];
    return NULL;
}

bool children_known(pid_t pid) {
    return child_of(pid) != NULL;
}

bool children_alive_beside(const struct child *child) {
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] && children[i] != child && children[i]->pid && !children[i]->ended)
            return true;
    return false;
}

static void read_output(struct child *child) {
    ssize_t n;
    while ((n = read(child->output, child->text + child->length, 2 * CHILD_OUTPUT - 1 - child->length)) > 0) {
        child->length += (size_t)n;
        if (child->length == 2 * CHILD_OUTPUT - 1) {
            memmove(child->text, child->text + CHILD_OUTPUT, CHILD_OUTPUT - 1);
            child->length = CHILD_OUTPUT - 1;
        }
        child->text[child->length] = 0;
    }
    if (n == 0) {
        close(child->output);
        child->output = -1;
    }
}

/* Orphans that came to us are reaped too. */
static void reap(void) {
    int status;
    struct rusage usage;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        struct child *child = child_of(pid);
        if (!child)
            continue;
        child->wall = now_seconds() - child->started;
        child->status = status;
        child->usage = usage;
        child->ended = true;
    }
}

static void read_signals(void) {
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD) {
            interrupted = (int)info.ssi_signo;
            interruptions++;
        }
}

int children_turn(double seconds) {
    struct pollfd polled[CHILDREN_MAX + 1] = {{.fd = signals, .events = POLLIN}};
    double left = fmin(fmax(0, seconds), 1e6) * 1000;
    for (int i = 0; i < CHILDREN_MAX; i++)
        polled[i + 1] = (struct pollfd){.fd = children[i] ? children[i]->output : -1, .events = POLLIN};
    poll(polled, CHILDREN_MAX + 1, (int)ceil(left));
    read_signals();
    reap();
    /* After the reaping, so that an ended child's output is complete. */
    for (int i = 0; i < CHILDREN_MAX; i++)
        if (children[i] && children[i]->output >= 0)
            read_output(children[i]);
    return interruptions;
}

static int ended_but(const struct child *awaited) {
    int count = 0;
    for (int i = 0; i < CHILDREN_MAX; i++)
        count += children[i] && children[i] != awaited && children[i]->ended;
    return count;
}

enum child_event child_wait(struct child *awaited, double seconds) {
    double until = now_seconds() + seconds;
    int others = ended_but(awaited);
    for (;;) {
        if (awaited && awaited->ended)
            return CHILD_ENDED;
        if (interrupted)
            return CHILD_INTERRUPTED;
        if (ended_but(awaited) > others)
            return CHILD_OTHER_ENDED;
        if (now_seconds() >= until)
            return CHILD_TIME_OUT;
        children_turn(until - now_seconds());
    }
}
