/* `pk11cache ab run`: a command in pairs of runs, without and with the preload. */
#include "ab_options.h"
#include "ab_verbs.h"
#include "command.h"
#include "report_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ab_options options = {.pairs = 10, .warm_up = 1};
static struct ab_experiment experiment;
static double grace = 2;

static error_t parse(int key, char *arg, struct argp_state *state) {
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options;
        break;
    case ARGP_KEY_ARGS:
        experiment.command = state->argv + state->next;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_failure(state, 2, 0, "which command is to be run?");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* In the order of command_ab_run's ab_add_figure. The peak of a small program is that of this command, from which it
 * was forked: some 3 MiB. */
static void take_values(const struct child *child, struct ab_run *run) {
    double *value = run->values + options.metrics.count;
    const char *missing = metrics_take(&options.metrics, child->text, run->values);
    run->failed = ab_failure(child, missing);
    *value++ = child->wall;
    *value++ = seconds(child->usage.ru_utime);
    *value++ = seconds(child->usage.ru_stime);
    *value++ = (double)child->usage.ru_maxrss / 1024;
}

static void see_whether_it_acts(off_t before, pid_t pid) {
    struct report report = report_read(options.report, before, pid);
    experiment.preloaded++;
    experiment.acted += report.all.hits > 0;
}

/* One run. False when the experiment is to end. */
static bool turn(int pair, enum ab_arm arm) {
    struct child child;
    struct child_plan plan = ab_plan(&options, arm);
    struct ab_run run = {.pair = pair, .arm = arm};
    off_t before = report_length(options.report);
    plan.command = experiment.command;
    ab_progress(&experiment, pair, arm, "");
    if (!child_start(&child, &plan))
        return false;
    enum child_event event = child_wait(&child, INFINITY);
    child_stop(&child, grace); /* also what it left behind */
    experiment.interrupted = event == CHILD_INTERRUPTED || children_interrupted();
    bool complete = event == CHILD_ENDED;
    if (complete) {
        take_values(&child, &run);
        if (arm == WITH && !run.failed)
            see_whether_it_acts(before, child.pid);
        complete = ab_add_run(&experiment, &run);
    }
    child_free(&child);
    return complete && !experiment.interrupted;
}

/* Two failures in a row at the begin, warm-ups or not, are enough: it can't work. */
static bool hopeless(void) {
    bool failed = experiment.runs_count >= 2;
    for (int i = 0; i < experiment.runs_count && failed; i++)
        failed = experiment.runs[i].failed != NULL;
    return failed;
}

static void run_all(void) {
    for (int pair = -options.warm_up; pair < options.pairs; pair++) {
        int counted = pair < 0 ? WARM_UP : pair;
        enum ab_arm first = pair < 0 ? WITHOUT : ab_first_arm(&experiment, pair);
        if (!turn(counted, first) || !turn(counted, first == WITH ? WITHOUT : WITH) || hopeless())
            return;
    }
}

int command_ab_run(int argc, char **argv) {
    static const struct argp_child parts[] = {{&ab_options_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        NULL,
        parse,
        "[--] COMMAND [ARGUMENT...]",
        "Run COMMAND in pairs, without and with the cache preloaded, in a random order, and compare wall, user and "
        "system "
        "time, peak memory, and figures from its output.\v"
        "It runs with nothing on its standard input; programs that it starts are preloaded too, and what it leaves "
        "behind is ended. Ctrl-C ends the experiment with what there is.",
        parts,
        NULL,
        NULL};
    argp_err_exit_status = 2;
    char **command;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
    command = experiment.command;
    int status = 1;
    if (ab_options_begin(&options) && children_begin()) {
        struct ab_machine machine = ab_machine_now();
        experiment = ab_experiment_of(&options, "run");
        experiment.command = command;
        ab_add_figure(&experiment, "wall", "s", LESS_IS_BETTER);
        ab_add_figure(&experiment, "user", "s", LESS_IS_BETTER);
        ab_add_figure(&experiment, "system", "s", LESS_IS_BETTER);
        ab_add_figure(&experiment, "memory", "MiB", LESS_IS_BETTER);
        run_all();
        children_end();
        experiment.busy = ab_machine_busy(&machine);
        status = ab_finish(&experiment, &options);
        ab_free(&experiment);
    }
    ab_options_end(&options);
    return status;
}
