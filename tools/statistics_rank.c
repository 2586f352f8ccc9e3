/* Rank statistics of two samples: Mann and Whitney's U, and the shift of Hodges and Lehmann. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_MAX = 40 }; /* samples in all; with more the approximation is good to three places */

struct item {
    double value;
    bool of_a;
    unsigned rank; /* twice the mean rank, so that ties have whole numbers */
};

static int by_value(const void *x, const void *y) {
    double a = ((const struct item *)x)->value, b = ((const struct item *)y)->value;
    return (a > b) - (a < b);
}

/* Both samples in order, with their ranks; *ties is the sum of t^3 - t over runs of t equal values. To be freed. */
static struct item *rank(const double *a, size_t count_a, const double *b, size_t count_b, double *ties) {
    size_t all = count_a + count_b;
    struct item *items = count_a && count_b ? malloc(all * sizeof *items) : NULL;
    *ties = 0;
    if (!items)
        return NULL;
    for (size_t i = 0; i < all; i++)
        items[i] = (struct item){i < count_a ? a[i] : b[i - count_a], i < count_a, 0};
    qsort(items, all, sizeof *items, by_value);
    for (size_t i = 0, end; i < all; i = end) {
        for (end = i + 1; end < all && items[end].value == items[i].value;)
            end++;
        double equal = (double)(end - i);
        *ties += equal * equal * equal - equal;
        for (size_t j = i; j < end; j++)
            items[j].rank = (unsigned)(i + end + 1);
    }
    return items;
}

double mann_whitney_u(const double *a, size_t count_a, const double *b, size_t count_b) {
    double u = 0;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++)
            u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
    return count_a && count_b ? u : NAN;
}

/* In how many ways `taken` of the items have each sum of ranks: ways[taken * (sum_max + 1) + sum]. */
static double *count_sums(const struct item *items, size_t all, size_t taken, size_t sum_max) {
    size_t width = sum_max + 1;
    double *ways = calloc((taken + 1) * width, sizeof *ways);
    if (!ways)
        return NULL;
    ways[0] = 1;
    for (size_t i = 0; i < all; i++)
        for (size_t n = taken; n > 0; n--) /* downwards, so that no item is taken twice */
            for (size_t sum = items[i].rank; sum <= sum_max; sum++)
                ways[n * width + sum] += ways[(n - 1) * width + sum - items[i].rank];
    return ways;
}

double mann_whitney_exact(const double *a, size_t count_a, const double *b, size_t count_b) {
    double ties, total = 0, down = 0, up = 0;
    struct item *items = rank(a, count_a, b, count_b, &ties);
    size_t all = count_a + count_b, sum_max = 0, seen = 0;
    for (size_t i = 0; items && i < all; i++) {
        sum_max += items[i].rank;
        seen += items[i].of_a ? items[i].rank : 0;
    }
    double *ways = items ? count_sums(items, all, count_a, sum_max) : NULL;
    free(items);
    if (!ways)
        return NAN;
    for (size_t sum = 0; sum <= sum_max; sum++) {
        double here = ways[count_a * (sum_max + 1) + sum];
        total += here;
        down += sum <= seen ? here : 0;
        up += sum >= seen ? here : 0;
    }
    free(ways);
    return fmin(1, 2 * fmin(down, up) / total);
}

double mann_whitney_normal(const double *a, size_t count_a, const double *b, size_t count_b) {
    double ties, n = (double)(count_a + count_b), product = (double)count_a * (double)count_b;
    struct item *items = rank(a, count_a, b, count_b, &ties);
    if (!items)
        return NAN;
    free(items);
    double variance = product / 12 * (n + 1 - ties / (n * (n - 1)));
    if (!(variance > 0)) /* all are equal */
        return 1;
    double distance = fabs(mann_whitney_u(a, count_a, b, count_b) - product / 2);
    return fmin(1, erfc((distance - 0.5) / sqrt(variance) / M_SQRT2));
}

double mann_whitney(const double *a, size_t count_a, const double *b, size_t count_b) {
    return count_a + count_b <= EXACT_MAX ? mann_whitney_exact(a, count_a, b, count_b)
                                          : mann_whitney_normal(a, count_a, b, count_b);
}

double hodges_lehmann(const double *a, size_t count_a, const double *b, size_t count_b) {
    double *differences = count_a && count_b ? malloc(count_a * count_b * sizeof *differences) : NULL;
    if (!differences)
        return NAN;
    for (size_t i = 0; i < count_a; i++)
        for (size_t j = 0; j < count_b; j++)
            differences[i * count_b + j] = b[j] - a[i];
    double median = statistics_median(differences, count_a * count_b);
    free(differences);
    return median;
}
