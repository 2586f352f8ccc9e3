/* statistics.h - what `pk11cache ab` and its table say about samples: quantiles, spread, intervals, tests.
 *
 * Nothing here knows of units, clocks or processes. The functions keep no state and may be called on any thread. A
 * result that can't be had (no samples, no memory, a ratio of figures that are not positive) is NAN, and an interval
 * that can't be had reaches from 0 or -INFINITY to INFINITY. */
#ifndef PK11CACHE_STATISTICS_H
#define PK11CACHE_STATISTICS_H

#include "random_source.h"

#include <stdbool.h>
#include <stddef.h>

struct interval {
    double estimate, low, high;
};

/* Ascending, in place. */
void statistics_sort(double *samples, size_t count);

/* By linear interpolation between order statistics (R's type 7, numpy's default); `share` is 0 .. 1. */
double statistics_quantile_sorted(const double *sorted, size_t count, double share);
double statistics_quantile(const double *samples, size_t count, double share);
double statistics_median(const double *samples, size_t count);
double statistics_mean(const double *samples, size_t count);

/* The standard deviation, with n - 1. */
double statistics_deviation(const double *samples, size_t count);

/* The median distance from the median, times 1.4826: the standard deviation, where the samples are normal. */
double statistics_mad(const double *samples, size_t count);

/* The normal distribution, and Student's t of whole degrees of freedom: P(X <= x) and its inverse. */
double normal_below(double x);
double normal_quantile(double share);
double student_below(double t, unsigned degrees);
double student_quantile(double share, unsigned degrees);

/* The confidence of each of `tests` intervals that are to hold all at once with `confidence`. */
double bonferroni_confidence(double confidence, size_t tests);

/* How many times `without` is `with`, as the geometric mean over pairs, with the interval of Student's t on the
 * logarithms: exact where the noise is log-normal, also for three pairs; a bootstrap of so few is too narrow. */
struct interval paired_ratio(const double *without, const double *with, size_t pairs, double confidence);

/* The same ratio with a BCa bootstrap interval, which takes no shape for granted but wants ten pairs and more. */
struct interval paired_ratio_bootstrap(const double *without, const double *with, size_t pairs, double confidence,
                                       struct random_source *source);

/* A statistic of samples, for the bootstraps; it may not change them. */
typedef double (*statistic_function)(const double *samples, size_t count);

/* The interval between the quantiles of `resamples` values of the statistic; and the same with the bias corrected and
 * accelerated (Efron's BCa). */
struct interval bootstrap_percentile(const double *samples, size_t count, statistic_function statistic,
                                     double confidence, size_t resamples, struct random_source *source);
struct interval bootstrap_bca(const double *samples, size_t count, statistic_function statistic, double confidence,
                              size_t resamples, struct random_source *source);

/* Mann and Whitney's U of a: of how many pairs (one of a, one of b) the one of a is greater; ties count one half. */
double mann_whitney_u(const double *a, size_t count_a, const double *b, size_t count_b);

/* The two-sided p of "a and b come from one distribution". `exact` counts all divisions of the pooled ranks, ties
 * included, and is meant for up to 40 samples in all; `normal` is the approximation with corrections for ties and
 * continuity; the third takes the one that fits. */
double mann_whitney_exact(const double *a, size_t count_a, const double *b, size_t count_b);
double mann_whitney_normal(const double *a, size_t count_a, const double *b, size_t count_b);
double mann_whitney(const double *a, size_t count_a, const double *b, size_t count_b);

/* By how much b lies above a: the median of all differences b - a. */
double hodges_lehmann(const double *a, size_t count_a, const double *b, size_t count_b);

#endif
