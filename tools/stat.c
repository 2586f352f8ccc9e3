/* `pk11cache stat`: what the cache does in a running process. */
#include "command.h"
#include "metrics.h"
#include "row.h"
#include "stat_page.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum form { FORM_TABLE, FORM_JSON, FORM_PROMETHEUS };

struct arguments {
    const char *target;
    enum form form;
    bool all; /* the counters that are 0 too */
    double seconds;
};

static double seconds_of(struct argp_state *state, const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0.1 && value <= 86400))
        argp_failure(state, 2, 0, "--watch takes seconds from 0.1 to 86400, not \"%s\"", text);
    return value;
}

static void choose(struct argp_state *state, struct arguments *given, enum form form) {
    if (given->form != FORM_TABLE && given->form != form)
        argp_failure(state, 2, 0, "--json and --prometheus exclude each other");
    given->form = form;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *given = state->input;
    switch (key) {
    case 'j':
        choose(state, given, FORM_JSON);
        break;
    case 'p':
        choose(state, given, FORM_PROMETHEUS);
        break;
    case 'w':
        given->seconds = seconds_of(state, arg);
        break;
    case 'a':
        given->all = true;
        break;
    case ARGP_KEY_ARG:
        if (given->target)
            argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        given->target = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Processes come and go without a name given; a named one is the same for all of the watch. */
static bool fix_target(struct arguments *given) {
    static char fixed[16];
    struct process process;
    if (!given->target)
        return true;
    if (!target_find_one(given->target, &process))
        return false;
    snprintf(fixed, sizeof fixed, "%d", (int)process.pid);
    given->target = process.by_path ? given->target : fixed;
    return true;
}

static bool complain_of_silent(const struct watch *watch) {
    bool fine = true;
    for (size_t i = 0; i < watch->count; i++)
        if (*watch->items[i].problem) {
            complain("%s", watch->items[i].problem);
            fine = false;
        }
    return fine;
}

/* A line a process; the headings once in a while. */
static void print_table(const struct watch *watch) {
    static unsigned lines;
    char text[ROW_SIZE];
    if (lines == 0 || watch->count > 1)
        puts(row_headings(text, VIEW_CREATE, ROW_WIDTH));
    lines = (lines + 1) % 20;
    for (size_t i = 0; i < watch->count; i++)
        if (!*watch->items[i].problem)
            puts(row_format(text, &watch->items[i], VIEW_CREATE, ROW_WIDTH));
}

static bool print(const struct watch *watch, const struct arguments *given) {
    bool fine = complain_of_silent(watch);
    if (given->form == FORM_JSON) {
        for (size_t i = 0; i < watch->count; i++)
            fputs(watch->items[i].json ? watch->items[i].json : "", stdout);
    } else if (watch->count == 1 && !(given->seconds > 0)) {
        fine = fine && stat_page(&watch->items[0], given->all);
    } else {
        print_table(watch);
    }
    return fine;
}

/* One look. `first`: that there is nothing is a failure then. */
static bool look(struct watch *watch, const struct arguments *given, bool *gone, bool first) {
    *gone = !watch_look(watch, ASK_MS) || (watch->count == 0 && (first || given->target));
    if (*gone && !*watch->why)
        snprintf(watch->why, sizeof watch->why, "process %s has ended", given->target ? given->target : "");
    if (*gone)
        complain("%s", watch->why);
    return !*gone && print(watch, given);
}

static bool look_prometheus(const struct arguments *given, bool *gone, bool first) {
    struct targets targets;
    struct exposition exposition = {0};
    char why[WHY_SIZE];
    *gone = !targets_find(given->target, &targets, why) || (!targets.count && first);
    if (*gone)
        complain("%s", why);
    bool fine = !*gone && metrics_collect(&targets, &exposition).silent == 0;
    fine = exposition_write(&exposition, stdout) && fine;
    targets_free(&targets);
    exposition_free(&exposition);
    return fine;
}

static void add_seconds(struct timespec *time, double seconds) {
    long long ns = time->tv_nsec + (long long)(seconds * 1e9);
    time->tv_sec += (time_t)(ns / 1000000000);
    time->tv_nsec = (long)(ns % 1000000000);
}

static int look_and_look(const struct arguments *given) {
    struct watch watch = {.given = given->target};
    struct timespec next;
    bool fine = true, gone = false, first = true;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;; first = false) {
        fine =
            given->form == FORM_PROMETHEUS ? look_prometheus(given, &gone, first) : look(&watch, given, &gone, first);
        if (fflush(stdout) != 0) {
            complain("the output can't be written: %s", strerror(errno));
            gone = true;
        }
        if (gone || !(given->seconds > 0))
            break;
        add_seconds(&next, given->seconds);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    watch_free(&watch);
    return fine && !gone ? 0 : 1;
}

int command_stat(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"json", 'j', NULL, 0, "the library's JSON, one object a line", 0},
        {"prometheus", 'p', NULL, 0, "Prometheus text", 0},
        {"watch", 'w', "S", 0, "again every S seconds: a line with what happened in them (or the JSON, or text)", 0},
        {"all", 'a', NULL, 0, "the counters that are 0 too", 0},
        {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "[TARGET]",
                                     "Show what the cache does in a running process.\v"
                                     "TARGET is a process's number or name, or its socket's path. Without it, a line "
                                     "for each process that has a socket, or all of the only one.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct arguments given = {0};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &given);
    return fix_target(&given) ? look_and_look(&given) : 1;
}
