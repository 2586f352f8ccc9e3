/* histogram.h - a log-linear histogram of nanoseconds, and the comparison of two.
 *
 * Sixteen buckets an octave: values under 16 have a bucket each, and a greater one is known to 1/16 of itself (6.25 %).
 * A histogram belongs to whoever holds it; nothing here takes a lock. */
#ifndef PK11CACHE_HISTOGRAM_H
#define PK11CACHE_HISTOGRAM_H

#include "statistics.h"

#include <stdbool.h>
#include <stdint.h>

enum { HISTOGRAM_STEPS = 16, HISTOGRAM_BUCKETS = HISTOGRAM_STEPS * 61 };

struct histogram {
    uint64_t total, max;                /* operations; the greatest value */
    double sum;                         /* ns */
    double overhead;                    /* ns of each value that are the measuring's: quantiles and mean are without */
    uint64_t counts[HISTOGRAM_BUCKETS]; /* their sum is `total` */
};

/* The bucket of a value, and the least and the greatest value of a bucket. */
unsigned histogram_index(uint64_t ns);
uint64_t histogram_lower(unsigned index);
uint64_t histogram_upper(unsigned index);

void histogram_add(struct histogram *histogram, uint64_t ns);

/* `count` values of which only the bucket is known; their sum is taken to lie in its middle. */
void histogram_add_bucket(struct histogram *histogram, unsigned index, uint64_t count);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* NAN when it is empty. A quantile is interpolated inside its bucket, and never above `max`; `share` is 0 .. 1. */
double histogram_quantile(const struct histogram *histogram, double share);
double histogram_mean(const struct histogram *histogram);

/* What two histograms are compared by: a quantile's share, or HISTOGRAM_MEAN. */
#define HISTOGRAM_MEAN (-1.0)

struct histogram_comparison {
    double share;                      /* given */
    double confidence;                 /* given */
    struct interval difference, ratio; /* with - without in ns; with / without */
};

/* Fill in the differences and ratios of `count` comparisons, with percentile bootstrap intervals from `resamples`
 * Poisson resamples of the buckets: the cost goes with the buckets in use, not with the operations (2000 resamples of
 * millions: a tenth of a second). The operations must have been given to the arms at random, one by one: then the
 * interval holds also for operations that come in bursts. False when an arm is empty, or without memory. */
bool histogram_compare(const struct histogram *without, const struct histogram *with,
                       struct histogram_comparison *comparisons, size_t count, size_t resamples,
                       struct random_source *source);

#endif
