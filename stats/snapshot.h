/* snapshot.h - all figures of a moment, as every format shows them: since the start or the last `reset`. */
#ifndef PK11CACHE_SNAPSHOT_H
#define PK11CACHE_SNAPSHOT_H

#include "stats/counters.h"
#include "stats/sample.h"

#include <stdbool.h>

struct gauges {
#define COUNTER(id, metric, labels, unit, help)
#define OPERATION(mechanism, direction, name)
#define GAUGE(id, metric, unit, help) uint64_t id;
#include "stats/counters.def"
};

struct gauge_entry {
    const char *name, *metric, *unit, *help;
    size_t offset; /* in struct gauges */
};
extern const struct gauge_entry gauge_list[];
extern const unsigned gauge_list_size;

static inline uint64_t gauge_value(const struct gauges *g, const struct gauge_entry *entry) {
    return *(const uint64_t *)(const void *)((const char *)g + entry->offset);
}

struct snapshot {
    struct counters counters;
    struct gauges gauges;
    struct latency latency;
    double uptime, since_reset; /* seconds since the first cached call; the latter 0 without a reset */
};

/* Fill it (it is large: not for a small stack). `whole`: since the start, whatever was reset. Any thread, unless
 * snapshot_reset runs; counters, gauges and latencies are each exact. */
void snapshot_take(struct snapshot *snapshot, bool whole);
/* What snapshot_take(…, false) shows begins anew at this snapshot, taken with `whole`. The helper thread. */
void snapshot_reset(const struct snapshot *from);

/* Note the number of handles for handles_most. */
void snapshot_note_handles(void);

const char *snapshot_mode(void);
const char *snapshot_engine(void);

#endif
