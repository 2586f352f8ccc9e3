/* bench_measure.h - one run of a workload or yardstick, in its own process. */
#ifndef PK11CACHE_BENCH_MEASURE_H
#define PK11CACHE_BENCH_MEASURE_H

#include "bench.h"

#include <stddef.h>

struct job {
    const char *sequence; /* or the yardstick's name */
    bool decrypt;
    int bytes, threads;
    enum arm arm;
    struct run *run;
};

/* Is this workload or yardstick built? */
bool measure_has(const char *name);

/* Run it and add a sample to job->run. False, after a complaint, when it fails. */
bool measure(const struct job *job, const char *library, double seconds);

/* Make sure that the library acts in a workload, before its column is called "preload"; and the NSS version that the
 * workload sees. False after a complaint. */
bool measure_acts(const char *library, char *version, size_t size);

#endif
