/* differential [--seed N] [--ops N] [--replay SEED]: the same calls through the hooks and on bare NSS,
 * compared. */
#include "pair.h"
#include "sequence.h"

#include <argp.h>
#include <dlfcn.h>
#include <stdlib.h>

#ifdef WITH_CORE
#include "preload/cache.h"
#include "stats/counters.h"
#endif

static struct {
    unsigned long seed, ops;
    bool replay;
} option = {1, 1000000, false};

static error_t parse(int key, char *arg, struct argp_state *argp) {
    char *end = arg;
    unsigned long value = arg ? strtoul(arg, &end, 10) : 0;
    if (arg && (*end || end == arg))
        argp_failure(argp, 2, 0, "\"%s\" is no number", arg);
    switch (key) {
    case 's':
        option.seed = value;
        break;
    case 'n':
        option.ops = value;
        break;
    case 'r':
        option.seed = value;
        option.replay = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* What the library says that it did. */
static void print_counters(void) {
#ifdef WITH_CORE
    struct counters sum;
    counters_sum(&sum);
    for (unsigned i = 0; i < counter_list_size; i++)
        if (counter_value(&sum, &counter_list[i]))
            printf("%s %llu\n", counter_list[i].name, (unsigned long long)counter_value(&sum, &counter_list[i]));
#endif
}

/* No sequence holds more than a few keys and contexts, and in the end nobody does: the cache must never have
 * been full, or the rest of the run compared nothing, and a flush must empty it. */
static bool cache_lost_something(void) {
#ifdef WITH_CORE
    struct counters sum;
    counters_sum(&sum);
    cache_flush();
    bool full = sum.bypass_max_keys || sum.bypass_max_engines;
    if (full && !getenv("PK11CACHE_MAX_KEYS") && !getenv("PK11CACHE_MAX_ENGINES"))
        printf("the cache was full: it lost keys or engines\n");
    else if (root_keys_live() || root_engines_live())
        printf("after a flush %u keys and %u engines are left\n", root_keys_live(), root_engines_live());
    else
        return false;
    return true;
#else
    return false;
#endif
}

static void run(unsigned long seed) {
    struct sequence sequence;
    sequence_make(&sequence, seed);
    sequence_run(&sequence);
    if (!pair_different)
        return;
    pair_report();
    sequence_shrink(&sequence);
    if (!pair_different)
        printf("it differs no more when run again: it needs what earlier sequences left in the cache\n");
    else {
        printf("made shorter:\n");
        pair_report();
    }
    pair_different = true;
}

int main(int argc, char **argv) {
    static const struct argp_option arguments[] = {{"seed", 's', "N", 0, "the first sequence's seed (1)", 0},
                                                   {"ops", 'n', "N", 0, "calls in all (1000000)", 0},
                                                   {"replay", 'r', "SEED", 0, "run one sequence only", 0},
                                                   {0}};
    static const struct argp argp = {arguments, parse, NULL, NULL, NULL, NULL, NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    if (NSS_NoDB_Init(NULL) != SECSuccess || !sides_init()) {
        fprintf(stderr, "NSS can't be initialised: %d\n", PR_GetError());
        return 3;
    }
    for (unsigned long seed = option.seed; pair_calls < option.ops && !pair_different; seed++) {
        run(seed);
        if (option.replay)
            break;
    }
    sequence_table(stdout);
    printf("%llu calls compared, %llu AES-CBC contexts from the cache\n", pair_calls, sequence_handles());
    if (pair_different)
        return 1;
    print_counters();
    if (!option.replay && cache_lost_something())
        return 1;
    if (NSS_Shutdown() != SECSuccess) {
        printf("NSS_Shutdown failed: %d\n", PR_GetError());
        return 1;
    }
    bool expect_handles = !option.replay && !getenv("DIFFERENTIAL_BARE");
    if (expect_handles && sequence_handles() == 0) {
        printf("no context came from the cache: this run proved nothing\n");
        return 1;
    }
    return 0;
}
