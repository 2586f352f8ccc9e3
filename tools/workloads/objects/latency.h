/* latency.h - latencies in a histogram of constant relative width (under 0.8 %), with exact mean and maximum. One
 * thread at a time. */
#ifndef OBJECTS_LATENCY_H
#define OBJECTS_LATENCY_H

#include <stdint.h>

/* An octave has LATENCY_STEPS buckets; below the first octave each value has its own. */
enum { LATENCY_STEPS = 128, LATENCY_OCTAVES = 58 };

struct latency {
    uint64_t count, max_ns;
    double sum_ns;
    uint64_t buckets[LATENCY_OCTAVES * LATENCY_STEPS];
};

void latency_add(struct latency *latency, uint64_t ns);

/* Add all of `other`. */
void latency_merge(struct latency *latency, const struct latency *other);

/* In ns; 0 where there is none. `share` is from 0 to 1: the value that this share of all doesn't exceed (nearest rank).
 */
double latency_quantile(const struct latency *latency, double share);
double latency_mean(const struct latency *latency);

#endif
