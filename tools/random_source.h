/* random_source.h - random numbers that a seed repeats: for bootstraps, the order of runs, and tests.
 *
 * Not for secrets. A source belongs to one thread. The same seed gives the same numbers on every machine. */
#ifndef PK11CACHE_RANDOM_SOURCE_H
#define PK11CACHE_RANDOM_SOURCE_H

#include <stdint.h>

struct random_source {
    uint64_t state; /* set it to the seed */
};

/* A seed that nobody has seen; from the kernel, else from the clock. */
uint64_t random_seed(void);

/* 64 even bits. */
uint64_t random_bits(struct random_source *source);

/* Even in 0 .. bound-1; `bound` is not 0. */
uint64_t random_below(struct random_source *source, uint64_t bound);

/* Even in the open interval from 0 to 1. */
double random_unit(struct random_source *source);

/* Mean 0, standard deviation 1. */
double random_normal(struct random_source *source);

/* A Poisson count of this mean (0 or more). Exact below 30; above, a normal number corrected for skewness, whose
 * quantiles are off by less than half a count. */
double random_poisson(struct random_source *source, double mean);

#endif
