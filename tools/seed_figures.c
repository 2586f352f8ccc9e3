/* Medians and shares over the rounds. */
#include "seed.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts them. Between two values by their distance. */
static double quantile(double *values, int count, double share) {
    if (!count)
        return NAN;
    qsort(values, (size_t)count, sizeof *values, by_value);
    double place = share * (count - 1);
    int low = (int)place;
    double rest = place - low;
    return low + 1 < count ? values[low] * (1 - rest) + values[low + 1] * rest : values[low];
}

/* One depth's value of a round, or all depths' sum. */
static double value(const struct seed *seed, int depth, enum seed_arm arm, enum seed_figure figure, int round) {
    if (depth >= 0)
        return seed->samples[depth][arm][round].figure[figure];
    double sum = 0;
    for (int i = 0; i < seed->depths_count; i++)
        sum += seed->samples[i][arm][round].figure[figure];
    return sum;
}

double seed_median(const struct seed *seed, int depth, enum seed_arm arm, enum seed_figure figure) {
    double values[SEED_ROUNDS_MAX];
    for (int i = 0; i < seed->rounds; i++)
        values[i] = value(seed, depth, arm, figure, i);
    return quantile(values, seed->rounds, 0.5);
}

/* A round's arms were measured within a second or two: a slow minute of the machine meets them all, and the share is
 * taken before the median. */
static double closed_quantile(const struct seed *seed, int depth, enum seed_era era, enum seed_figure figure,
                              double share) {
    double shares[SEED_ROUNDS_MAX], gaps[SEED_ROUNDS_MAX], sign = figure == FIGURE_IOPS ? -1 : 1;
    enum seed_arm bare_arm = era == ERA_HAMMER ? HAMMER_BARE : INFERNALIS_BARE;
    int count = 0;
    for (int i = 0; i < seed->rounds; i++) {
        double none = value(seed, depth, ARM_NONE, figure, i), bare = value(seed, depth, bare_arm, figure, i);
        double preload = value(seed, depth, bare_arm + 1, figure, i);
        gaps[i] = sign * (bare - none);
        if (gaps[i] != 0)
            shares[count++] = 100 * sign * (bare - preload) / gaps[i];
    }
    return quantile(gaps, seed->rounds, 0.5) > 0 ? quantile(shares, count, share) : NAN;
}

double seed_closed(const struct seed *seed, int depth, enum seed_era era, enum seed_figure figure) {
    return closed_quantile(seed, depth, era, figure, 0.5);
}

void seed_closed_quartiles(const struct seed *seed, int depth, enum seed_era era, enum seed_figure figure,
                           double *lower, double *upper) {
    *lower = closed_quantile(seed, depth, era, figure, 0.25);
    *upper = closed_quantile(seed, depth, era, figure, 0.75);
}
