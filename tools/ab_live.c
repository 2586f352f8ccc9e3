/* `pk11cache ab live`: an experiment inside a running process. The library ends it by itself when its time is over,
 * also if this command is killed; so the process is always left as it was. */
#include "ab_live.h"
#include "ab_verbs.h"
#include "command.h"
#include "plot.h"
#include "socket.h"
#include "target.h"

#include <argp.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPTION_AA = 256, OPTION_DELAY, OPTION_SEED, QUICK_RESAMPLES = 200, RESAMPLES = 2000, LOOK_MS = 500 };

static struct {
    const char *target, *json, *plot, *kind;
    double duration, share;
    unsigned delay;
    uint64_t seed;
} asked = {.duration = 30, .share = 0.5, .kind = ""};

static volatile sig_atomic_t stop;

static void on_signal(int number) {
    (void)number;
    stop = 1;
}

static double number(struct argp_state *state, const char *arg, double low, double high, const char *what) {
    char *end;
    double value = strtod(arg, &end);
    if (end == arg || *end || !(value >= low && value <= high))
        argp_failure(state, 2, 0, "%s is from %g to %g, not \"%s\"", what, low, high, arg);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    const char *problem;
    switch (key) {
    case 'd':
        asked.duration = number(state, arg, 0.1, 86400, "--duration");
        break;
    case 's':
        asked.share = number(state, arg, 0, 1, "--share");
        break;
    case 'j':
        asked.json = arg;
        break;
    case 'p':
        if ((problem = plot_problem(arg)))
            argp_failure(state, 2, 0, "--plot %s: %s", arg, problem);
        asked.plot = arg;
        break;
    case OPTION_AA:
        if (strcmp(arg, "bare") && strcmp(arg, "cached"))
            argp_failure(state, 2, 0, "--aa takes bare or cached, not \"%s\"", arg);
        asked.kind = strcmp(arg, "bare") ? "both-cached" : "both-bare";
        break;
    case OPTION_DELAY:
        asked.delay = (unsigned)number(state, arg, 0, 1e9, "--delay");
        break;
    case OPTION_SEED:
        asked.seed = (uint64_t)number(state, arg, 1, 1e15, "--seed");
        break;
    case ARGP_KEY_ARG:
        if (asked.target)
            argp_failure(state, 2, 0, "one TARGET at a time");
        asked.target = arg;
        break;
    case ARGP_KEY_END:
        if (asked.delay && !*asked.kind)
            argp_failure(state, 2, 0, "--delay goes with --aa");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option options[] = {
    {"duration", 'd', "S", 0, "seconds (30)", 0},
    {"share", 's', "X", 0, "the control arm's share of the operations, 0 to 1 (0.5)", 0},
    {"json", 'j', "FILE", 0, "everything as JSON; - is standard output, in place of the table", 0},
    {"plot", 'p', "FILE", 0, "both arms' distributions, as .svg or .png", 0},
    {"aa", OPTION_AA, "bare|cached", 0, "treat both arms alike: an experiment that must show no difference", 1},
    {"delay", OPTION_DELAY, "NS", 0, "with --aa: spend so long in the control arm, a difference of known size", 1},
    {"seed", OPTION_SEED, "N", 0, "repeat the same draws", 1},
    {0},
};

static const struct argp live_argp = {
    options,
    parse,
    "[TARGET]",
    "Measure what the cache gives a running process: each operation goes at random to bare NSS or to the cache.\v"
    "TARGET is a process's number or name, or its socket's path; without it, the one process that has a socket. An "
    "operation is all that the program does from its first call (slot, key or context) to its last. Ctrl-C ends the "
    "experiment early, with what there is.",
    NULL,
    NULL,
    NULL};

/* The process's own CPU, user and system, in seconds. */
static double cpu_of(pid_t pid) {
    char path[64], line[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    bool got = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    char *after = got ? strrchr(line, ')') : NULL;
    if (!after || sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
        return NAN;
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool begin(const struct process *process) {
    char line[160];
    int used = snprintf(line, sizeof line, "ab %.9g for %.3f", asked.share, asked.duration);
    if (*asked.kind)
        used += snprintf(line + used, sizeof line - (size_t)used, " %s", asked.kind);
    if (asked.delay)
        used += snprintf(line + used, sizeof line - (size_t)used, " delay %u", asked.delay);
    if (asked.seed)
        snprintf(line + used, sizeof line - (size_t)used, " seed %llu", (unsigned long long)asked.seed);
    char *answer = socket_ask_one(process, line);
    bool begun = answer != NULL;
    free(answer);
    return begun;
}

static void progress(const struct live_result *r) {
    enum { WIDTH = 30 };
    char bar[WIDTH + 1];
    double part = fmin(1, r->elapsed / asked.duration);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r\033[K[%s] %.0f of %.0f s, %llu operations", bar, r->elapsed, asked.duration,
            (unsigned long long)(r->arms[WITHOUT].operations + r->arms[WITH].operations));
    if (r->compared)
        fprintf(stderr, ", p50 ratio %.3f (%.3f to %.3f)", r->figures[LIVE_P50].ratio.estimate,
                r->figures[LIVE_P50].ratio.low, r->figures[LIVE_P50].ratio.high);
}

/* Ask for the results so far; on success they replace *result. */
static bool look(const struct live_context *context, struct live_result *result, bool aloud) {
    static struct live_result fresh; /* large */
    struct ask ask = {.process = &context->process};
    socket_ask(&ask, 1, "show ab json", ASK_MS);
    bool read = !*ask.problem && ask.answer && live_read(&fresh, ask.answer);
    if (*ask.problem && aloud)
        complain("%s", ask.problem);
    ask_free(&ask);
    if (!read)
        return false;
    live_free(result);
    *result = fresh;
    return true;
}

static void pause_ms(long milliseconds) {
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* A socket was named: whose is it? */
static void find_process(struct process *process) {
    struct ask ask = {.process = process};
    socket_ask(&ask, 1, "show ab", ASK_MS);
    struct process peer = ask.peer ? process_look(ask.peer) : (struct process){0};
    ask_free(&ask);
    if (!peer.pid)
        return;
    process->pid = peer.pid;
    memcpy(process->name, peer.name, sizeof process->name);
}

/* Until it has ended by itself, somebody stops us, or the process is gone. */
static void watch(struct live_context *context, struct live_result *result) {
    bool terminal = isatty(STDERR_FILENO);
    double end = now() + asked.duration + 5;
    do {
        double left = asked.duration - result->elapsed;
        pause_ms(left > 0 && left * 1e3 < LOOK_MS ? (long)(left * 1e3) + 30 : LOOK_MS);
        if (!look(context, result, false)) {
            context->died = true;
            return;
        }
        if (terminal && live_compare(result, context->seed, QUICK_RESAMPLES))
            progress(result);
    } while (result->running && !stop && now() < end);
    context->interrupted = stop;
    if (!result->running)
        return;
    free(socket_ask_one(&context->process, "ab off"));
    context->died = !look(context, result, true);
}

static int finish(const struct live_context *context, struct live_result *result) {
    char sentence[512];
    bool to_stdout = asked.json && !strcmp(asked.json, "-"), written = true;
    live_compare(result, context->seed, RESAMPLES);
    bool reached = live_verdict(result, sentence, sizeof sentence);
    if (!to_stdout) {
        live_table(result, context);
        printf("%s\n", sentence);
    }
    fflush(stdout);
    live_warnings(result, context, to_stdout ? stderr : stdout);
    if (asked.json)
        written = live_json(result, context, asked.json);
    if (asked.plot && reached)
        written = live_plot(result, context, asked.plot) && written;
    return reached && written && !context->died ? 0 : 1;
}

int command_ab_live(int argc, char **argv) {
    static struct live_result result;
    struct live_context context = {.cpu_used = NAN};
    struct sigaction action = {.sa_handler = on_signal};
    if (argp_parse(&live_argp, argc, argv, 0, NULL, NULL))
        return 2;
    if (asked.plot && !plot_possible())
        return 1;
    if (!target_find_one(asked.target, &context.process))
        return 1;
    if (!context.process.pid)
        find_process(&context.process);
    context.seed = asked.seed ? asked.seed : random_seed();
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    double before = cpu_of(context.process.pid);
    if (!begin(&context.process))
        return 1;
    watch(&context, &result);
    context.cpu_used = cpu_of(context.process.pid) - before;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!result.raw) {
        complain("the process was gone before it said anything");
        return 1;
    }
    int status = finish(&context, &result);
    live_free(&result);
    return status;
}
