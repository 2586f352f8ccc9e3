/* `pk11cache bench`: the workloads without and with the preload, interleaved, beside the yardsticks. */
#include "bench.h"
#include "bench_measure.h"
#include "command.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const arm_names[ARMS] = {"bare",        "preload",     "preload-reset", "source-reuse",
                                     "openssl-evp", "openssl-aes", "cryptopp"};

enum { CELLS_MAX = 64, YARDSTICKS_MAX = 16, JOBS_MAX = CELLS_MAX * 3 + YARDSTICKS_MAX * 4 };

/* A yardstick's results stand beside every sequence with the same op, bytes and threads. */
struct yard {
    bool decrypt;
    int bytes, threads;
    struct run arms[ARMS];
};

static struct {
    bool quick;
    int rounds;
    double seconds;
    const char *json, *library;
} option;

static struct cell cells[CELLS_MAX];
static struct yard yards[YARDSTICKS_MAX];
static struct job jobs[JOBS_MAX];
static int cells_count, yards_count, jobs_count;
static char library[PATH_MAX];

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
    case 'r':
        option.rounds = (int)strtol(arg, &end, 10);
        if (end == arg || *end || option.rounds < 1 || option.rounds > ROUNDS_MAX)
            argp_failure(state, 2, 0, "--rounds takes a number from 1 to %d, not \"%s\"", ROUNDS_MAX, arg);
        break;
    case 's':
        option.seconds = strtod(arg, &end);
        if (end == arg || *end || !(option.seconds >= 0.001 && option.seconds <= 60))
            argp_failure(state, 2, 0, "--seconds takes a number from 0.001 to 60, not \"%s\"", arg);
        break;
    case ARGP_KEY_ARG:
        argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static struct yard *yard_of(bool decrypt, int bytes, int threads) {
    for (int i = 0; i < yards_count; i++)
        if (yards[i].decrypt == decrypt && yards[i].bytes == bytes && yards[i].threads == threads)
            return &yards[i];
    yards[yards_count] = (struct yard){.decrypt = decrypt, .bytes = bytes, .threads = threads};
    return &yards[yards_count++];
}

static void add_job(const char *sequence, const struct cell *cell, enum arm arm, struct run *run) {
    if (!run->wanted) {
        run->wanted = true;
        jobs[jobs_count++] = (struct job){sequence, cell->decrypt, cell->bytes, cell->threads, arm, run};
    }
}

static void add_cell(const char *sequence, bool decrypt, int bytes, int threads, bool yardsticks) {
    struct cell *cell = &cells[cells_count++];
    *cell = (struct cell){
        .sequence = sequence, .decrypt = decrypt, .yardsticks = yardsticks, .bytes = bytes, .threads = threads};
    for (enum arm arm = BARE; arm <= PRELOAD_RESET; arm++) {
        add_job(sequence, cell, arm, &cell->arms[arm]);
        cell->beside[arm] = &cell->arms[arm];
    }
    if (!yardsticks)
        return;
    struct yard *yard = yard_of(decrypt, bytes, threads);
    for (enum arm arm = SOURCE_REUSE; arm < ARMS; arm++)
        if (arm != CRYPTOPP || measure_has("cryptopp")) {
            add_job(arm_names[arm], cell, arm, &yard->arms[arm]);
            cell->beside[arm] = &yard->arms[arm];
        }
}

/* What is measured. Beside radosgw (AES-256, no padding) and knet (with an HMAC) stands no yardstick: none does the
 * same. */
static void plan(void) {
    static const int sizes[] = {29, 128, 1024, 4096};
    static const char *const eras[] = {"hammer", "infernalis"};
    int sizes_count = option.quick ? 2 : 4;
    for (int era = 0; era < 2; era++)
        for (int decrypt = 0; decrypt < (option.quick ? 1 : 2); decrypt++)
            for (int size = 0; size < sizes_count; size++)
                for (int threads = 1; threads <= 2; threads++)
                    add_cell(eras[era], decrypt, sizes[size], threads, true);
    for (int decrypt = 0; decrypt < 2; decrypt++)
        for (int threads = 1; threads <= (option.quick ? 1 : 2); threads++)
            add_cell("radosgw", decrypt, 4096, threads, false);
    for (int decrypt = 0; decrypt < (option.quick ? 1 : 2); decrypt++)
        for (int threads = 1; threads <= (option.quick ? 1 : 2); threads++)
            add_cell("knet", decrypt, 1024, threads, false);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_medians(void) {
    double values[ROUNDS_MAX];
    for (int i = 0; i < jobs_count; i++) {
        struct run *run = jobs[i].run;
        for (int part = 0; part < 2; part++) {
            for (int j = 0; j < run->rounds; j++)
                values[j] = part ? run->samples[j].cpu_ns : run->samples[j].ns;
            qsort(values, (size_t)run->rounds, sizeof values[0], by_value);
            double median = (values[(run->rounds - 1) / 2] + values[run->rounds / 2]) / 2;
            *(part ? &run->cpu_ns : &run->ns) = median;
        }
    }
}

/* Arms of one cell follow each other, so that a slow minute of the machine meets them all; their order changes each
 * round. */
static void shuffle_within_cells(void) {
    for (int i = 0; i < jobs_count;) {
        int end = i + 1;
        while (end < jobs_count && jobs[end].bytes == jobs[i].bytes && jobs[end].threads == jobs[i].threads &&
               jobs[end].decrypt == jobs[i].decrypt)
            end++;
        for (int j = end - 1; j > i; j--) {
            int k = i + (int)(random() % (j - i + 1));
            struct job swap = jobs[j];
            jobs[j] = jobs[k];
            jobs[k] = swap;
        }
        i = end;
    }
}

static bool run_rounds(void) {
    bool terminal = isatty(STDERR_FILENO);
    for (int round = 0; round < option.rounds; round++) {
        shuffle_within_cells();
        if (!terminal)
            fprintf(stderr, "round %d of %d\n", round + 1, option.rounds);
        for (int i = 0; i < jobs_count; i++) {
            if (terminal)
                fprintf(stderr, "\rround %d of %d: %d of %d \033[K", round + 1, option.rounds, i + 1, jobs_count);
            if (!measure(&jobs[i], library, option.seconds)) {
                fputs(terminal ? "\n" : "", stderr);
                return false;
            }
        }
    }
    if (terminal)
        fputs("\r\033[K", stderr);
    return true;
}

/* Told before the minutes of measuring, not after them. */
static bool can_write(const char *file) {
    FILE *try = !file || !strcmp(file, "-") ? stdout : fopen(file, "ae");
    if (!try)
        complain("%s can't be written: %s", file, strerror(errno));
    if (try && try != stdout)
        fclose(try);
    return try != NULL;
}

int command_bench(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"quick", 'q', NULL, 0, "the main cells only, in less than 20 seconds", 0},
        {"json", 'j', "FILE", 0, "write the medians to FILE; - is standard output, in place of the table", 0},
        {"rounds", 'r', "N", 0, "rounds, of which the median is taken (11)", 0},
        {"seconds", 's', "S", 0, "seconds for one measurement (quick: 0.01, else 0.03)", 0},
        {"lib", 'l', "FILE", 0, "the library", 0},
        {0}};
    static const struct argp argp = {
        arguments,
        parse,
        NULL,
        "Time the daemons' NSS call sequences without and with the cache, interleaved, beside "
        "other ways to make them faster.",
        NULL,
        NULL,
        NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    option.rounds = option.rounds ? option.rounds : 11;
    option.seconds = option.seconds > 0 ? option.seconds : option.quick ? 0.01 : 0.03;
    char version[64];
    if (!can_write(option.json) || !library_find(option.library, library) || !library_try(library) ||
        !measure_acts(library, version, sizeof version))
        return 1;
    srandom((unsigned)time(NULL));
    plan();
    if (!run_rounds())
        return 1;
    take_medians();
    bool to_stdout = option.json && !strcmp(option.json, "-");
    if (!to_stdout)
        bench_table(stdout, cells, cells_count, version);
    return option.json && !bench_json(option.json, cells, cells_count) ? 1 : 0;
}
