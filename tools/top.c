/* `pk11cache top`: all processes with a stats socket, live in the terminal. */
#include "top.h"
#include "command.h"

#include <argp.h>
#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A process that does not answer must not make the keys slow. */
enum { ANSWER_MS = 500 };

static volatile sig_atomic_t signalled;

static void note_signal(int number) {
    signalled = number;
}

/* They arrive only while we wait, so that none is missed between a look at `signalled` and the wait. One that was
 * ignored stays so. `before` becomes the mask for the wait. */
static void catch_signals(sigset_t *before) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = note_signal}, old;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        if (sigaction(ending[i], NULL, &old) || old.sa_handler == SIG_IGN)
            continue;
        sigaction(ending[i], &action, NULL);
        sigaddset(&blocked, ending[i]);
    }
    sigaddset(&blocked, SIGWINCH);
    sigprocmask(SIG_BLOCK, &blocked, before);
    sigdelset(before, SIGWINCH);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void sort_by(struct top *top, enum row_column column) {
    top->upside_down = column == top->sort && !top->upside_down;
    top->sort = column;
    top->first = 0;
}

/* False: quit. */
static bool press(struct top *top, int key, bool *look) {
    size_t page = LINES > 4 ? (size_t)LINES - 4 : 1, back = key == KEY_UP ? 1 : page;
    switch (key) {
    case 'q':
    case 'Q':
        return false;
    case 'r':
        top->upside_down = !top->upside_down;
        break;
    case 'o':
        top->call = (top->call + 1) % VIEW_CALLS;
        break;
    case ' ':
        *look = true;
        break;
    case KEY_DOWN:
        top->first++; /* drawing moves it back from beyond the end */
        break;
    case KEY_NPAGE:
        top->first += page;
        break;
    case KEY_UP:
    case KEY_PPAGE:
        top->first -= top->first < back ? top->first : back;
        break;
    default:
        if (top_column_of_key(key) != ROW_COLUMNS)
            sort_by(top, top_column_of_key(key));
    }
    return true;
}

/* Keys until the next look is due. False: quit, or the terminal is gone. */
static bool wait_and_obey(struct top *top, double until, const sigset_t *mask) {
    for (bool look = false; !look;) {
        double left = until - now();
        if (left <= 0)
            return true;
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        int ready = ppoll(&input, 1, &time, mask);
        if (signalled || (ready > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL))))
            return false;
        for (int key = getch(); key != ERR; key = getch()) /* also after a SIGWINCH: KEY_RESIZE */
            if (!press(top, key, &look))
                return false;
        top_sort(top);
        top_screen_draw(top);
    }
    return true;
}

/* The first look shows what was since each one's start; the second comes soon. */
static void watch_it(struct top *top, const sigset_t *mask) {
    double pause = top->seconds < 0.5 ? top->seconds : 0.5;
    do {
        double started = now();
        watch_look(&top->watch, ANSWER_MS);
        top_sort(top);
        top_screen_draw(top);
        if (!wait_and_obey(top, started + pause, mask))
            return;
        pause = top->seconds;
    } while (!signalled);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct top *top = state->input;
    char *end;
    switch (key) {
    case 'd':
        top->seconds = strtod(arg, &end);
        if (end == arg || *end || !(top->seconds >= 0.1 && top->seconds <= 3600))
            argp_failure(state, 2, 0, "--delay takes seconds from 0.1 to 3600, not \"%s\"", arg);
        break;
    case ARGP_KEY_ARG:
        if (top->watch.given)
            argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        top->watch.given = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* As one who was ended by that signal: a shell's loop around us ends with ^C too. */
static int leave(int number) {
    if (number) {
        signal(number, SIG_DFL);
        sigset_t this_one;
        sigemptyset(&this_one);
        sigaddset(&this_one, number);
        raise(number);
        sigprocmask(SIG_UNBLOCK, &this_one, NULL);
    }
    return 0;
}

int command_top(int argc, char **argv) {
    static const struct argp_option options[] = {{"delay", 'd', "S", 0, "seconds from look to look (2)", 0}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "[TARGET]",
                                     "Watch all processes that have a stats socket.\v"
                                     "TARGET (a process's number or name, or its socket's path) restricts it to some.\n"
                                     "Rates, hit share and latencies are those of the time since the last look.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct top top = {.seconds = 2, .sort = ROW_CALLS};
    struct targets targets;
    sigset_t mask;
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &top);
    if (!targets_find(top.watch.given, &targets, top.watch.why)) {
        complain("%s", top.watch.why);
        return 1;
    }
    targets_free(&targets);
    if (!top_screen_open())
        return 1;
    catch_signals(&mask);
    watch_it(&top, &mask);
    top_screen_close();
    watch_free(&top.watch);
    return leave(signalled);
}
