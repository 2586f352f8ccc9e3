/* differential [--seed N] [--ops N] [--replay SEED]: the same calls through the hooks and on bare NSS, compared. */
#include "generator.h"
#include "pair.h"

#include <argp.h>
#include <dlfcn.h>
#include <stdlib.h>

#ifdef WITH_CORE
#include "preload/cache.h"
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
    case 's': option.seed = value; break;
    case 'n': option.ops = value; break;
    case 'r':
        option.seed = value;
        option.replay = true;
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Housekeeping in between must change nothing. */
static void disturb(unsigned long seed) {
#ifdef WITH_CORE
    if (seed % 5000 == 17)
        cache_flush();
    if (seed % 3000 == 11)
        cache_age();
#else
    (void)seed;
#endif
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
        generator_sequence(seed);
        disturb(seed);
        if (option.replay)
            break;
    }
    generator_table(stdout);
    printf("%llu calls compared, %llu AES-CBC contexts from the cache\n", pair_calls, generator_handles());
    if (pair_different)
        return 1;
    if (NSS_Shutdown() != SECSuccess) {
        printf("NSS_Shutdown failed: %d\n", PR_GetError());
        return 1;
    }
    bool expect_handles = !option.replay && !getenv("DIFFERENTIAL_BARE");
    if (expect_handles && generator_handles() == 0) {
        printf("no context came from the cache: this run proved nothing\n");
        return 1;
    }
    return 0;
}
