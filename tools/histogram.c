#include "histogram.h"

#include <math.h>

/* Four bits under the leading one choose the step inside the octave. */
unsigned histogram_index(uint64_t ns) {
    if (ns < HISTOGRAM_STEPS)
        return (unsigned)ns;
    unsigned shift = 59 - (unsigned)__builtin_clzll(ns);
    return shift * HISTOGRAM_STEPS + (unsigned)(ns >> shift);
}

uint64_t histogram_lower(unsigned index) {
    if (index < 2 * HISTOGRAM_STEPS)
        return index;
    unsigned shift = index / HISTOGRAM_STEPS - 1;
    return (uint64_t)(HISTOGRAM_STEPS + index % HISTOGRAM_STEPS) << shift;
}

uint64_t histogram_upper(unsigned index) {
    return index + 1 < HISTOGRAM_BUCKETS ? histogram_lower(index + 1) - 1 : UINT64_MAX;
}

void histogram_add(struct histogram *histogram, uint64_t ns) {
    histogram->counts[histogram_index(ns)]++;
    histogram->total++;
    histogram->sum += (double)ns;
    if (ns > histogram->max)
        histogram->max = ns;
}

void histogram_add_bucket(struct histogram *histogram, unsigned index, uint64_t count) {
    if (index >= HISTOGRAM_BUCKETS || !count)
        return;
    double lower = (double)histogram_lower(index), upper = (double)histogram_upper(index);
    histogram->counts[index] += count;
    histogram->total += count;
    histogram->sum += (double)count * (lower + upper) / 2;
    if (histogram_upper(index) > histogram->max)
        histogram->max = histogram_upper(index);
}

void histogram_merge(struct histogram *into, const struct histogram *from) {
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        into->counts[i] += from->counts[i];
    into->total += from->total;
    into->sum += from->sum;
    if (from->max > into->max)
        into->max = from->max;
}

double histogram_quantile(const struct histogram *histogram, double share) {
    double wanted = share * (double)histogram->total, passed = 0;
    if (!histogram->total)
        return NAN;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        double here = (double)histogram->counts[i];
        if (here > 0 && passed + here >= wanted) {
            double lower = (double)histogram_lower(i), width = (double)histogram_upper(i) - lower;
            double part = fmax(0, (wanted - passed) / here);
            return fmin(lower + part * width, (double)histogram->max) - histogram->overhead;
        }
        passed += here;
    }
    return (double)histogram->max - histogram->overhead;
}

double histogram_mean(const struct histogram *histogram) {
    return histogram->total ? histogram->sum / (double)histogram->total - histogram->overhead : NAN;
}
