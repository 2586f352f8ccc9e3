/* seed.h - the parts of seed-table: what is measured, one server and one load at a time, and the table.
 *
 * Five servers run side by side and idle; one at a time is loaded. Main thread only. */
#ifndef PK11CACHE_SEED_H
#define PK11CACHE_SEED_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

enum seed_arm { ARM_NONE, HAMMER_BARE, HAMMER_PRELOAD, INFERNALIS_BARE, INFERNALIS_PRELOAD, SEED_ARMS };
enum seed_era { ERA_HAMMER, ERA_INFERNALIS, SEED_ERAS };
enum seed_figure { FIGURE_CPU, FIGURE_IOPS, FIGURE_LATENCY, SEED_FIGURES };
enum { SEED_ROUNDS_MAX = 100, SEED_DEPTHS_MAX = 8 };

struct seed_sample {
    double figure[SEED_FIGURES]; /* us of server CPU per request, requests a second, average latency in us */
};

struct seed {
    bool pinned, same_client;
    const char *mix;
    double seconds; /* of one window; a sample is two */
    double rate;    /* requests a second; 0: as fast as the depth allows */
    int rounds, depths_count, depths[SEED_DEPTHS_MAX];
    char library[PATH_MAX], nss_version[32];
    double hit_share; /* the lowest of a preloaded server, 0..1 */
    struct seed_sample samples[SEED_DEPTHS_MAX][SEED_ARMS][SEED_ROUNDS_MAX];
};

extern const char *const seed_arm_names[SEED_ARMS];

/* Start the five servers in `folder`, ready when it returns; end them, see that each ended well, and that the cache
 * served the preloaded ones. False after a complaint (seed_stop ends whatever runs in any case). */
bool seed_start(struct seed *seed, const char *folder);
bool seed_stop(struct seed *seed, const char *folder);

/* Load one server for seed->seconds and add what it did, halved, to `sample`. False after a complaint. */
bool seed_measure(const struct seed *seed, const char *folder, enum seed_arm arm, int depth,
                  struct seed_sample *sample);

/* A median over the rounds; and the share of the gap between no signing and bare signing that the preload closes, in
 * percent: the median of the rounds' shares. NAN where there is no gap. The depth may be -1: all depths' sums. */
double seed_median(const struct seed *seed, int depth, enum seed_arm arm, enum seed_figure figure);
double seed_closed(const struct seed *seed, int depth, enum seed_era era, enum seed_figure figure);

/* The quartiles of the rounds' shares, for the spread. */
void seed_closed_quartiles(const struct seed *seed, int depth, enum seed_era era, enum seed_figure figure,
                           double *lower, double *upper);

void seed_print(FILE *to, const struct seed *seed);
bool seed_json(const char *file, const struct seed *seed); /* "-": standard output */

#endif
