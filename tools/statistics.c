/* Quantiles, spread, and the two distributions that intervals need. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void statistics_sort(double *samples, size_t count) {
    if (count > 1)
        qsort(samples, count, sizeof *samples, by_value);
}

double statistics_quantile_sorted(const double *sorted, size_t count, double share) {
    if (!count)
        return NAN;
    double place = share * (double)(count - 1);
    size_t under = (size_t)fmax(0, floor(place));
    if (under >= count - 1)
        return sorted[count - 1];
    double part = fmax(0, place - (double)under);
    return sorted[under] + part * (sorted[under + 1] - sorted[under]);
}

double statistics_quantile(const double *samples, size_t count, double share) {
    double *sorted = count ? malloc(count * sizeof *sorted) : NULL;
    if (!sorted)
        return NAN;
    memcpy(sorted, samples, count * sizeof *sorted);
    statistics_sort(sorted, count);
    double value = statistics_quantile_sorted(sorted, count, share);
    free(sorted);
    return value;
}

double statistics_median(const double *samples, size_t count) {
    return statistics_quantile(samples, count, 0.5);
}

double statistics_mean(const double *samples, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i];
    return count ? sum / (double)count : NAN;
}

double statistics_deviation(const double *samples, size_t count) {
    double mean = statistics_mean(samples, count), squares = 0;
    if (count < 2)
        return NAN;
    for (size_t i = 0; i < count; i++)
        squares += (samples[i] - mean) * (samples[i] - mean);
    return sqrt(squares / (double)(count - 1));
}

double statistics_mad(const double *samples, size_t count) {
    double median = statistics_median(samples, count);
    double *distances = count ? malloc(count * sizeof *distances) : NULL;
    if (!distances)
        return NAN;
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(samples[i] - median);
    double mad = statistics_median(distances, count);
    free(distances);
    return mad * 1.482602218505602;
}

double normal_below(double x) {
    return erfc(-x / M_SQRT2) / 2;
}

/* For whole degrees of freedom the distribution is a finite sum of powers of the cosine of atan(t / sqrt(degrees)). */
double student_below(double t, unsigned degrees) {
    double angle = atan(t / sqrt(degrees)), cosine = cos(angle), sum = 0;
    double term = degrees % 2 ? cosine : 1;
    for (unsigned power = degrees % 2 ? 1 : 0; power + 2 <= degrees; power += 2) {
        sum += term;
        term *= cosine * cosine * (power + 1) / (power + 2);
    }
    sum *= sin(angle);
    double inside = degrees % 2 ? (angle + sum) * M_2_PI : sum;
    return 0.5 + inside / 2;
}

/* Degrees 0 stand for the normal distribution. By halving: called a few times for a table, it need not be fast. */
static double quantile_by_halving(double share, unsigned degrees) {
    if (!(share > 0 && share < 1))
        return share == 0 ? -INFINITY : share == 1 ? INFINITY : NAN;
    double low = -1, high = 1;
    while ((degrees ? student_below(low, degrees) : normal_below(low)) > share && low > -1e300)
        low *= 2;
    while ((degrees ? student_below(high, degrees) : normal_below(high)) < share && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        *((degrees ? student_below(middle, degrees) : normal_below(middle)) < share ? &low : &high) = middle;
    }
    return low + (high - low) / 2;
}

double normal_quantile(double share) {
    return quantile_by_halving(share, 0);
}

double student_quantile(double share, unsigned degrees) {
    return degrees ? quantile_by_halving(share, degrees) : NAN;
}

double bonferroni_confidence(double confidence, size_t tests) {
    return tests > 1 ? 1 - (1 - confidence) / (double)tests : confidence;
}
