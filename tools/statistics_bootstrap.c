/* Intervals: bootstraps, and the ratio of pairs. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

enum { RATIO_RESAMPLES = 4000 };

/* Sorted values of the statistic for resamples of the samples; NULL without memory. To be freed. */
static double *resample(const double *samples, size_t count, statistic_function statistic, size_t resamples,
                        struct random_source *source) {
    double *values = malloc(resamples * sizeof *values), *drawn = malloc(count * sizeof *drawn);
    for (size_t i = 0; values && drawn && i < resamples; i++) {
        for (size_t j = 0; j < count; j++)
            drawn[j] = samples[random_below(source, count)];
        values[i] = statistic(drawn, count);
    }
    if (values && drawn)
        statistics_sort(values, resamples);
    else
        free(values), values = NULL;
    free(drawn);
    return values;
}

static struct interval unknown(double estimate) {
    return (struct interval){estimate, -INFINITY, INFINITY};
}

struct interval bootstrap_percentile(const double *samples, size_t count, statistic_function statistic,
                                     double confidence, size_t resamples, struct random_source *source) {
    struct interval result = unknown(count ? statistic(samples, count) : NAN);
    double *values = count > 1 && resamples ? resample(samples, count, statistic, resamples, source) : NULL;
    if (!values)
        return result;
    result.low = statistics_quantile_sorted(values, resamples, (1 - confidence) / 2);
    result.high = statistics_quantile_sorted(values, resamples, (1 + confidence) / 2);
    free(values);
    return result;
}

/* The skewness of the statistic's jackknife values over 6; NAN without memory. */
static double acceleration(const double *samples, size_t count, statistic_function statistic) {
    double *left_out = malloc(count * sizeof *left_out), *rest = malloc(count * sizeof *rest);
    double squares = 0, cubes = 0, result = NAN;
    for (size_t i = 0; left_out && rest && i < count; i++) {
        for (size_t j = 0, k = 0; j < count; j++)
            if (j != i)
                rest[k++] = samples[j];
        left_out[i] = statistic(rest, count - 1);
    }
    if (left_out && rest) {
        double mean = statistics_mean(left_out, count);
        for (size_t i = 0; i < count; i++) {
            double distance = mean - left_out[i];
            squares += distance * distance;
            cubes += distance * distance * distance;
        }
        result = squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
    }
    free(left_out);
    free(rest);
    return result;
}

/* The share of values under the estimate; equal ones count one half. */
static double share_under(const double *values, size_t count, double estimate) {
    double under = 0;
    for (size_t i = 0; i < count; i++)
        under += values[i] < estimate ? 1 : values[i] == estimate ? 0.5 : 0;
    return under / (double)count;
}

struct interval bootstrap_bca(const double *samples, size_t count, statistic_function statistic, double confidence,
                              size_t resamples, struct random_source *source) {
    struct interval result = unknown(count ? statistic(samples, count) : NAN);
    double *values = count > 1 && resamples ? resample(samples, count, statistic, resamples, source) : NULL;
    double skew = values ? acceleration(samples, count, statistic) : NAN;
    if (!values || isnan(skew)) {
        free(values);
        return result;
    }
    double bias = normal_quantile(share_under(values, resamples, result.estimate));
    double *const ends[2] = {&result.low, &result.high};
    for (int i = 0; i < 2 && isfinite(bias); i++) {
        double z = bias + normal_quantile(i ? (1 + confidence) / 2 : (1 - confidence) / 2);
        double share = normal_below(bias + z / (1 - skew * z));
        *ends[i] = statistics_quantile_sorted(values, resamples, share);
    }
    free(values);
    return result;
}

/* The logarithms of with / without; NULL where a figure is not positive, or without memory. To be freed. */
static double *log_ratios(const double *without, const double *with, size_t pairs) {
    double *logs = pairs ? malloc(pairs * sizeof *logs) : NULL;
    for (size_t i = 0; logs && i < pairs; i++) {
        if (!(without[i] > 0) || !(with[i] > 0)) {
            free(logs);
            return NULL;
        }
        logs[i] = log(with[i] / without[i]);
    }
    return logs;
}

static struct interval exponential(struct interval of) {
    return (struct interval){exp(of.estimate), exp(of.low), exp(of.high)};
}

struct interval paired_ratio(const double *without, const double *with, size_t pairs, double confidence) {
    double *logs = log_ratios(without, with, pairs);
    struct interval result = unknown(logs ? statistics_mean(logs, pairs) : NAN);
    if (logs && pairs > 1) {
        double error = statistics_deviation(logs, pairs) / sqrt((double)pairs);
        double reach = error * student_quantile((1 + confidence) / 2, (unsigned)(pairs - 1));
        result.low = result.estimate - reach;
        result.high = result.estimate + reach;
    }
    free(logs);
    return exponential(result);
}

struct interval paired_ratio_bootstrap(const double *without, const double *with, size_t pairs, double confidence,
                                       struct random_source *source) {
    double *logs = log_ratios(without, with, pairs);
    struct interval result = unknown(NAN);
    if (logs)
        result = bootstrap_bca(logs, pairs, statistics_mean, confidence, RATIO_RESAMPLES, source);
    free(logs);
    return exponential(result);
}
