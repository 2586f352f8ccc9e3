#include "ab_options.h"
#include "command.h"
#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(struct argp_state *state, const char *name, const char *text, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < low || value > high)
        argp_failure(state, 2, 0, "--%s takes a number from %ld to %ld, not \"%s\"", name, low, high, text);
    return (int)value;
}

static void set(struct argp_state *state, struct ab_options *options, char *setting) {
    const char *problem = setting_problem(setting);
    if (problem)
        argp_failure(state, 2, 0, "--set %s: %s; see `pk11cache options`", setting, problem);
    if (!strncmp(setting, "PK11CACHE_REPORT=", 17))
        argp_failure(state, 2, 0, "--set %s: the report is needed here, to see that the cache acts", setting);
    if (options->settings_count == AB_SETTINGS_MAX)
        argp_failure(state, 2, 0, "more than %d times --set", AB_SETTINGS_MAX);
    options->settings[options->settings_count++] = setting;
}

static void check(struct argp_state *state, const char *option, const char *text, const char *problem) {
    if (problem)
        argp_failure(state, 2, 0, "--%s %s: %s", option, text, problem);
}

static void set_seed(struct argp_state *state, struct ab_options *options, const char *text) {
    char *end;
    options->seed = strtoull(text, &end, 10);
    options->seeded = true;
    if (end == text || *end)
        argp_failure(state, 2, 0, "--seed takes a number, not \"%s\"", text);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct ab_options *options = state->input;
    switch (key) {
    case 'n':
        options->pairs = number(state, "pairs", arg, 1, PAIRS_MAX);
        break;
    case 'w':
        options->warm_up = number(state, "warmup", arg, 0, 100);
        break;
    case 'm':
        check(state, "metric", arg, metrics_add(&options->metrics, arg));
        break;
    case 'f':
        check(state, "fio", "", metrics_add_ready_made(&options->metrics, METRIC_FIO));
        break;
    case 'b':
        check(state, "rados-bench", "", metrics_add_ready_made(&options->metrics, METRIC_RADOS));
        break;
    case 'j':
        options->json = arg;
        break;
    case 'p':
        check(state, "plot", arg, plot_problem(arg));
        options->plot = arg;
        break;
    case 'l':
        options->given_library = arg;
        break;
    case 's':
        set(state, options, arg);
        break;
    case 'S':
        set_seed(state, options, arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option arguments[] = {
    {"pairs", 'n', "N", 0, "pairs of turns (10; of a daemon 5)", 0},
    {"warmup", 'w', "N", 0, "pairs before that don't count (1)", 0},
    {"metric", 'm', "NAME=REGEX", 0,
     "a figure from the output: the group of this extended regular expression, where it first matches a number; a run "
     "without it has failed. The verdict rests on the first metric",
     0},
    {"fio", 'f', NULL, 0, "IOPS, average and greatest latency from fio (best with --output-format=json)", 0},
    {"rados-bench", 'b', NULL, 0, "the same from rados bench", 0},
    {"json", 'j', "FILE", 0, "write every value to FILE; - is standard output, in place of the table", 0},
    {"plot", 'p', "FILE", 0, "draw FILE, an .svg or .png, with gnuplot", 0},
    {"set", 's', "NAME=VALUE", 0, "a PK11CACHE_ variable for the turns with the preload", 0},
    {"seed", 'S', "N", 0, "of the order of the turns", 0},
    {"lib", 'l', "FILE", 0, "the library", 0},
    {0}};

const struct argp ab_options_argp = {arguments, parse, NULL, NULL, NULL, NULL, NULL};

/* Told before the minutes of measuring, not after them. */
static bool can_write(const char *file) {
    if (!file || !strcmp(file, "-"))
        return true;
    FILE *try = fopen(file, "ae");
    if (!try) {
        complain("%s can't be written: %s", file, strerror(errno));
        return false;
    }
    fclose(try);
    return true;
}

static bool make_folder(struct ab_options *options) {
    const char *parent = getenv("TMPDIR");
    snprintf(options->folder, sizeof options->folder, "%s/pk11cache.XXXXXX",
             parent && *parent == '/' ? parent : "/tmp");
    if (!mkdtemp(options->folder)) {
        complain("no temporary folder %s: %s", options->folder, strerror(errno));
        options->folder[0] = 0;
        return false;
    }
    snprintf(options->report, sizeof options->report, "%s/report", options->folder);
    snprintf(options->report_setting, sizeof options->report_setting, "PK11CACHE_REPORT=%s", options->report);
    return true;
}

/* Ours come first, so that --set PK11CACHE_CHILDREN=no has its way. */
static void place_settings(struct ab_options *options) {
    static char children[] = "PK11CACHE_CHILDREN=yes";
    memmove(options->settings + 2, options->settings, (size_t)options->settings_count * sizeof *options->settings);
    options->settings[0] = options->report_setting;
    options->settings[1] = children;
    options->settings_count += 2;
    options->settings[options->settings_count] = NULL;
}

bool ab_options_begin(struct ab_options *options) {
    const char *before = getenv("LD_PRELOAD");
    if (!can_write(options->json) || !can_write(options->plot) || (options->plot && !plot_possible()))
        return false;
    if (!library_find(options->given_library, options->library) || !library_try(options->library) ||
        !make_folder(options))
        return false;
    place_settings(options);
    options->preload[WITH] = library_preload_list(options->library, before);
    options->preload[WITHOUT] = library_others(options->library, before);
    if (!options->preload[WITH] || !options->preload[WITHOUT]) {
        complain("no memory");
        return false;
    }
    return true;
}

void ab_options_end(struct ab_options *options) {
    if (options->folder[0]) {
        unlink(options->report);
        rmdir(options->folder);
    }
    for (int arm = 0; arm < AB_ARMS; arm++)
        free(options->preload[arm]);
    for (int i = 0; i < options->metrics.count; i++)
        if (options->metrics.list[i].source == METRIC_REGEX)
            regfree(&options->metrics.list[i].regex);
}
