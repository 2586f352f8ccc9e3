/* `pk11cache ab daemon`: a server in pairs of lives, without and with the preload, under the same load. */
#include "ab_life.h"
#include "ab_verbs.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>

static struct ab_options options = {.pairs = 5, .warm_up = 1};
static struct ab_server server = {.timeout = 60, .grace = 30};
static struct ab_experiment experiment;
static int depths[DEPTHS_MAX], depths_count;

static double seconds(struct argp_state *state, const char *name, const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value <= 86400))
        argp_failure(state, 2, 0, "--%s takes seconds, more than 0 and up to 86400, not \"%s\"", name, text);
    return value;
}

static void take_depths(struct argp_state *state, const char *text) {
    const char *rest = text;
    char *end;
    for (depths_count = 0; depths_count < DEPTHS_MAX; rest = end + 1) {
        long depth = strtol(rest, &end, 10);
        if (end == rest || depth < 1 || depth > 1000000 || (*end && *end != ','))
            break;
        depths[depths_count++] = (int)depth;
        if (!*end)
            return;
    }
    argp_failure(state, 2, 0, "--depths takes up to %d numbers from 1, as in 4,16,64, not \"%s\"", DEPTHS_MAX, text);
}

static void check_complete(struct argp_state *state) {
    if (!server.daemon || !server.ready || !server.load)
        argp_failure(state, 2, 0, "--daemon, --ready and --load are all needed");
    else if (depths_count && !strstr(server.load, "%d"))
        argp_failure(state, 2, 0, "the load has no %%d to put the depths in");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options;
        break;
    case 'd':
        server.daemon = arg;
        break;
    case 'r':
        server.ready = arg;
        break;
    case 'L':
        server.load = arg;
        break;
    case 'D':
        take_depths(state, arg);
        break;
    case 't':
        server.timeout = seconds(state, "timeout", arg);
        break;
    case 'g':
        server.grace = seconds(state, "grace", arg);
        break;
    case ARGP_KEY_ARG:
        argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        break;
    case ARGP_KEY_END:
        check_complete(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static bool hopeless(void) {
    bool failed = experiment.lives_count >= 2;
    for (int i = 0; i < experiment.runs_count && failed; i++)
        failed = experiment.runs[i].failed != NULL;
    return failed;
}

static void live_all(void) {
    for (int pair = -options.warm_up; pair < options.pairs; pair++) {
        int counted = pair < 0 ? WARM_UP : pair;
        enum ab_arm first = pair < 0 ? WITHOUT : ab_first_arm(&experiment, pair);
        if (!ab_live(&experiment, &options, &server, counted, first) ||
            !ab_live(&experiment, &options, &server, counted, first == WITH ? WITHOUT : WITH) || hopeless())
            return;
    }
}

/* A load of fixed length makes more requests where the daemon is faster: then its CPU only means something per request.
 */
static void set_up(void) {
    experiment = ab_experiment_of(&options, "daemon");
    for (int i = 0; i < options.metrics.count; i++)
        if (!strcasecmp(options.metrics.list[i].name, "iops"))
            server.iops = i + 1;
    ab_add_figure(&experiment, "wall", "s", LESS_IS_BETTER);
    if (server.iops)
        ab_add_figure(&experiment, "daemon_cpu_per_op", "us", LESS_IS_BETTER);
    else
        ab_add_figure(&experiment, "daemon_cpu", "s", LESS_IS_BETTER);
    if (!depths_count)
        return;
    memcpy(experiment.depths, depths, sizeof depths);
    experiment.depths_count = depths_count;
}

static int run_experiment(void) {
    char *command[] = {server.daemon, server.ready, server.load, NULL};
    struct ab_machine machine = ab_machine_now();
    set_up();
    experiment.command = command;
    live_all();
    children_end();
    experiment.busy = ab_machine_busy(&machine);
    int status = ab_finish(&experiment, &options);
    ab_free(&experiment);
    return status;
}

int command_ab_daemon(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"daemon", 'd', "CMD", 0, "starts the server, in the foreground", 1},
        {"ready", 'r', "CMD", 0, "succeeds when the server can be loaded; tried ten times a second", 1},
        {"load", 'L', "CMD", 0, "loads the server", 1},
        {"depths", 'D', "N,N...", 0, "run the load once for each of these in place of its %d", 1},
        {"timeout", 't', "S", 0, "seconds to get ready in (60)", 1},
        {"grace", 'g', "S", 0, "seconds to end in after SIGTERM, before SIGKILL (30)", 1},
        {0}};
    static const struct argp_child parts[] = {{&ab_options_argp, 0, NULL, 2}, {0}};
    static const struct argp argp = {
        arguments,
        parse,
        NULL,
        "Start a server without or with the cache preloaded, wait until it is ready, load it, stop it, and again, in "
        "pairs of random order.\v"
        "The commands are for the shell. Only the daemon is preloaded. Standard input is empty; Ctrl-C ends the "
        "experiment with what there is, and stops the daemon.",
        parts,
        NULL,
        NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    int status = 1;
    if (ab_options_begin(&options) && children_begin())
        status = run_experiment();
    ab_options_end(&options);
    return status;
}
