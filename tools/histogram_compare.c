/* The bootstrap of two histograms. A resample of N values, of which n fell into a bucket, has a binomial count there;
 * drawn bucket by bucket as Poisson counts, the total varies a little, which changes no quantile and no mean. */
#include "histogram.h"

#include <math.h>
#include <stdlib.h>

/* The buckets in use, and a resample of them. */
struct sparse {
    size_t used;
    double lower[HISTOGRAM_BUCKETS], width[HISTOGRAM_BUCKETS], counts[HISTOGRAM_BUCKETS], drawn[HISTOGRAM_BUCKETS];
    double total, correction, drawn_total;
};

struct work {
    struct sparse arms[2];
    double *differences, *ratios; /* [comparison * resamples + resample] */
};

static double mean_of(const struct sparse *arm, const double *counts, double total) {
    double sum = 0;
    for (size_t i = 0; i < arm->used; i++)
        sum += counts[i] * (arm->lower[i] + arm->width[i] / 2);
    return sum / total;
}

static void gather(struct sparse *arm, const struct histogram *histogram) {
    arm->used = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (!histogram->counts[i])
            continue;
        arm->lower[arm->used] = (double)histogram_lower(i) - histogram->overhead;
        arm->width[arm->used] = (double)histogram_upper(i) - (double)histogram_lower(i);
        arm->counts[arm->used++] = (double)histogram->counts[i];
    }
    arm->total = (double)histogram->total;
    arm->correction = histogram_mean(histogram) - mean_of(arm, arm->counts, arm->total);
}

static void draw(struct sparse *arm, struct random_source *source) {
    arm->drawn_total = 0;
    for (size_t i = 0; i < arm->used; i++) {
        arm->drawn[i] = random_poisson(source, arm->counts[i]);
        arm->drawn_total += arm->drawn[i];
    }
}

static double quantile_of(const struct sparse *arm, double share) {
    double wanted = share * arm->drawn_total, passed = 0;
    for (size_t i = 0; i < arm->used; i++) {
        if (arm->drawn[i] > 0 && passed + arm->drawn[i] >= wanted)
            return arm->lower[i] + fmax(0, (wanted - passed) / arm->drawn[i]) * arm->width[i];
        passed += arm->drawn[i];
    }
    return NAN;
}

/* Of the resample; the mean is moved by what the buckets' middles were off in the whole. */
static double value_of(const struct sparse *arm, double share) {
    if (share == HISTOGRAM_MEAN)
        return mean_of(arm, arm->drawn, arm->drawn_total) + arm->correction;
    return quantile_of(arm, share);
}

static double whole_value(const struct histogram *histogram, double share) {
    return share == HISTOGRAM_MEAN ? histogram_mean(histogram) : histogram_quantile(histogram, share);
}

static struct interval interval_of(double *values, size_t resamples, double estimate, double confidence) {
    statistics_sort(values, resamples);
    return (struct interval){estimate, statistics_quantile_sorted(values, resamples, (1 - confidence) / 2),
                             statistics_quantile_sorted(values, resamples, (1 + confidence) / 2)};
}

static void resample(struct work *work, const struct histogram_comparison *comparisons, size_t count, size_t resamples,
                     struct random_source *source) {
    for (size_t r = 0; r < resamples; r++) {
        do { /* an arm with a handful of operations can come out empty */
            draw(&work->arms[0], source);
            draw(&work->arms[1], source);
        } while (work->arms[0].drawn_total <= 0 || work->arms[1].drawn_total <= 0);
        for (size_t c = 0; c < count; c++) {
            double without = value_of(&work->arms[0], comparisons[c].share);
            double with = value_of(&work->arms[1], comparisons[c].share);
            work->differences[c * resamples + r] = with - without;
            work->ratios[c * resamples + r] = with / without;
        }
    }
}

bool histogram_compare(const struct histogram *without, const struct histogram *with,
                       struct histogram_comparison *comparisons, size_t count, size_t resamples,
                       struct random_source *source) {
    if (!without->total || !with->total || !count || !resamples)
        return false;
    struct work *work = malloc(sizeof *work);
    double *values = malloc(2 * count * resamples * sizeof *values);
    if (work && values) {
        work->differences = values;
        work->ratios = values + count * resamples;
        gather(&work->arms[0], without);
        gather(&work->arms[1], with);
        resample(work, comparisons, count, resamples, source);
    }
    for (size_t c = 0; work && values && c < count; c++) {
        struct histogram_comparison *to = &comparisons[c];
        double x = whole_value(without, to->share), y = whole_value(with, to->share);
        to->difference = interval_of(work->differences + c * resamples, resamples, y - x, to->confidence);
        to->ratio = interval_of(work->ratios + c * resamples, resamples, y / x, to->confidence);
    }
    bool done = work && values;
    free(work);
    free(values);
    return done;
}
