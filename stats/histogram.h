/* histogram.h - a log-linear histogram of nanoseconds: 16 steps per power of two, so that a value is known to 6.25 %
 * (exactly below 32 ns); 2^36 ns (69 s) and more share the last bucket. Adding is lock-free from any thread. */
#ifndef PK11CACHE_HISTOGRAM_H
#define PK11CACHE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum { HISTOGRAM_STEPS = 16, HISTOGRAM_OCTAVES = 36, HISTOGRAM_BUCKETS = (HISTOGRAM_OCTAVES - 3) * HISTOGRAM_STEPS };

struct histogram {
    _Atomic uint64_t count, sum, max;
    _Atomic uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline unsigned histogram_index(uint64_t ns) {
    if (ns < HISTOGRAM_STEPS)
        return (unsigned)ns;
    if (ns >> HISTOGRAM_OCTAVES)
        return HISTOGRAM_BUCKETS - 1;
    unsigned shift = 59 - (unsigned)__builtin_clzll(ns); /* the power of two, less 4 */
    return shift * HISTOGRAM_STEPS + (unsigned)(ns >> shift);
}

/* The least value of a bucket; of `index` + 1: where it ends. */
static inline uint64_t histogram_lower(unsigned index) {
    if (index < 2 * HISTOGRAM_STEPS)
        return index;
    return (uint64_t)(index % HISTOGRAM_STEPS + HISTOGRAM_STEPS) << (index / HISTOGRAM_STEPS - 1);
}

void histogram_add(struct histogram *h, uint64_t ns);
/* The same where only this thread ever writes. */
void histogram_add_own(struct histogram *h, uint64_t ns);
/* Add `from` to a private one. */
void histogram_merge(struct histogram *sum, const struct histogram *from);
/* Copy `from`, less `before` unless that is NULL (its max stays), into a private one. */
void histogram_copy(struct histogram *to, const struct histogram *from, const struct histogram *before);
/* The value that `share` (0..1) of a private histogram's values don't exceed: the middle of its bucket; 0 without
 * values. */
uint64_t histogram_quantile(const struct histogram *h, double share);

#endif
