/* seed-table: what signing costs an object server, and how much of it the preload gives back. (The table of 2015, with
 * which the story of this cache began, has the same shape: BACKGROUND.md.) */
#include "command.h"
#include "seed.h"

#include <argp.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAME_CLIENT = 256, NO_PIN, RATE };

static struct {
    bool quick;
    const char *json, *library;
} option;
static struct seed seed = {.pinned = true, .mix = "70/30", .hit_share = 1};
static volatile sig_atomic_t interrupted;

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("seed-table: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

const char *command_folder(void) {
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return dirname(path);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    char *end;
    switch (key) {
    case 'q':
        option.quick = true;
        break;
    case 'j':
        option.json = arg;
        break;
    case 'l':
        option.library = arg;
        break;
    case 'm':
        seed.mix = arg;
        break;
    case 'r':
        seed.rounds = (int)strtol(arg, &end, 10);
        if (end == arg || *end || seed.rounds < 1 || seed.rounds > SEED_ROUNDS_MAX)
            argp_failure(state, 2, 0, "--rounds takes a number from 1 to %d, not \"%s\"", SEED_ROUNDS_MAX, arg);
        break;
    case 's':
        seed.seconds = strtod(arg, &end);
        if (end == arg || *end || !(seed.seconds >= 0.01 && seed.seconds <= 60))
            argp_failure(state, 2, 0, "--seconds takes a number from 0.01 to 60, not \"%s\"", arg);
        break;
    case RATE:
        seed.rate = strtod(arg, &end);
        if (end == arg || *end || !(seed.rate >= 1 && seed.rate <= 1e7))
            argp_failure(state, 2, 0, "--rate takes a number from 1 to 10000000, not \"%s\"", arg);
        break;
    case SAME_CLIENT:
        seed.same_client = true;
        break;
    case NO_PIN:
        seed.pinned = false;
        break;
    case ARGP_KEY_ARG:
        argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void parse_options(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"quick", 'q', NULL, 0, "two depths, two short rounds: to see that it works", 0},
        {"json", 'j', "FILE", 0, "write every value to FILE; - is standard output, in place of the table", 0},
        {"rounds", 'r', "N", 0, "rounds, of which the median is taken (11)", 0},
        {"seconds", 's', "S", 0, "seconds of one window, two of which make a sample (0.08)", 0},
        {"mix", 'm', "R/W", 0, "read, write, or the percents of both (70/30)", 0},
        {"rate", RATE, "N", 0, "requests a second, the same for every arm, in place of as many as the depth allows", 0},
        {"same-client", SAME_CLIENT, NULL, 0,
         "the load signs by the server's NSS calls, never preloaded, not by OpenSSL: a part of the cost stays with it",
         0},
        {"no-pin", NO_PIN, NULL, 0, "let the kernel move server and load between processors", 0},
        {"lib", 'l', "FILE", 0, "the library", 0},
        {0}};
    static const struct argp argp = {arguments,
                                     parse,
                                     NULL,
                                     "Load an object server without signing, with signing, and with signing and the "
                                     "preload, by queue depth; in about a minute and a half.",
                                     NULL,
                                     NULL,
                                     NULL};
    static const int all[] = {4, 8, 16, 32, 64, 128}, few[] = {4, 32};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    seed.rounds = seed.rounds ? seed.rounds : option.quick ? 2 : 11;
    seed.seconds = seed.seconds > 0 ? seed.seconds : option.quick ? 0.03 : 0.08;
    seed.depths_count = option.quick ? 2 : 6;
    memcpy(seed.depths, option.quick ? few : all, (size_t)seed.depths_count * sizeof few[0]);
}

static void note_signal(int number) {
    interrupted = number;
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = note_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* All arms there and back again, so that a drift of the machine cancels out; the order changes with the round. */
static bool measure_depth(const char *folder, int round, int depth) {
    enum { WINDOWS = 2 * SEED_ARMS };
    bool fine = true;
    for (int i = 0; fine && !interrupted && i < WINDOWS; i++) {
        int place = i < SEED_ARMS ? i : WINDOWS - 1 - i;
        enum seed_arm arm = (enum seed_arm)((place + round) % SEED_ARMS);
        fine = seed_measure(&seed, folder, arm, seed.depths[depth], &seed.samples[depth][arm][round]);
    }
    return fine && !interrupted;
}

/* New servers for each round: where the kernel and the loader put one is not to decide. */
static bool measure_round(const char *folder, int round) {
    bool terminal = isatty(STDERR_FILENO), fine = seed_start(&seed, folder);
    for (int depth = 0; fine && depth < seed.depths_count; depth++) {
        if (terminal || !depth)
            fprintf(stderr, terminal ? "\rround %d of %d, depth %d \033[K" : "round %d of %d\n", round + 1, seed.rounds,
                    seed.depths[depth]);
        fine = measure_depth(folder, round, depth);
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    return seed_stop(&seed, folder) && fine;
}

static bool measure_all(void) {
    const char *base = getenv("TMPDIR");
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/seed-table.XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder)) {
        complain("no temporary folder %s: %s", folder, strerror(errno));
        return false;
    }
    bool fine = true;
    for (int round = 0; fine && round < seed.rounds; round++)
        fine = measure_round(folder, round);
    if (rmdir(folder))
        complain("%s can't be removed: %s", folder, strerror(errno));
    return fine;
}

int main(int argc, char **argv) {
    parse_options(argc, argv);
    if (!library_find(option.library, seed.library) || !library_try(seed.library))
        return 1;
    catch_signals();
    if (!measure_all())
        return interrupted ? 128 + interrupted : 1;
    if (!option.json || strcmp(option.json, "-"))
        seed_print(stdout, &seed);
    return !option.json || seed_json(option.json, &seed) ? 0 : 1;
}
