#include "latency.h"

#include <math.h>

enum { STEP_BITS = 7 };

static unsigned bucket_of(uint64_t ns) {
    if (ns < LATENCY_STEPS)
        return (unsigned)ns;
    int shift = 63 - __builtin_clzll(ns) - STEP_BITS;
    return (unsigned)(shift * LATENCY_STEPS) + (unsigned)(ns >> shift);
}

/* The middle of a bucket. */
static double value_of(unsigned bucket) {
    if (bucket < 2 * LATENCY_STEPS)
        return bucket;
    int shift = (int)(bucket / LATENCY_STEPS) - 1;
    uint64_t low = (uint64_t)(bucket - (unsigned)(shift * LATENCY_STEPS)) << shift;
    return (double)low + (double)((1ull << shift) - 1) / 2;
}

void latency_add(struct latency *l, uint64_t ns) {
    l->count++;
    l->sum_ns += (double)ns;
    l->max_ns = ns > l->max_ns ? ns : l->max_ns;
    l->buckets[bucket_of(ns)]++;
}

void latency_merge(struct latency *l, const struct latency *other) {
    l->count += other->count;
    l->sum_ns += other->sum_ns;
    l->max_ns = other->max_ns > l->max_ns ? other->max_ns : l->max_ns;
    for (unsigned i = 0; i < LATENCY_OCTAVES * LATENCY_STEPS; i++)
        l->buckets[i] += other->buckets[i];
}

double latency_quantile(const struct latency *l, double share) {
    uint64_t rank = (uint64_t)ceil(share * (double)l->count), seen = 0;
    rank = rank ? rank : 1;
    for (unsigned i = 0; l->count && i < LATENCY_OCTAVES * LATENCY_STEPS; i++) {
        seen += l->buckets[i];
        if (seen >= rank)
            return fmin(value_of(i), (double)l->max_ns);
    }
    return 0;
}

double latency_mean(const struct latency *l) {
    return l->count ? l->sum_ns / (double)l->count : 0;
}
