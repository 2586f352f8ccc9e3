/* metrics.h - the Prometheus text of several processes. */
#ifndef PK11CACHE_METRICS_H
#define PK11CACHE_METRICS_H

#include "exposition.h"
#include "target.h"

struct metrics_tally {
    size_t answered, silent; /* one that has ended meanwhile is neither */
};

/* Ask them all, and put what they answer together. Each silent one is complained of. */
struct metrics_tally metrics_collect(const struct targets *targets, struct exposition *exposition);

#endif
