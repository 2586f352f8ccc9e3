/* ab_live.h - the model of `pk11cache ab live`: an experiment inside a running process, operation by operation. */
#ifndef PK11CACHE_AB_LIVE_H
#define PK11CACHE_AB_LIVE_H

#include "ab.h"
#include "histogram.h"
#include "process.h"

#include <jansson.h>

enum { LIVE_P50, LIVE_P99, LIVE_MEAN, LIVE_FIGURES, LIVE_CLASSES = 32 };

struct live_arm {
    uint64_t operations, keyed, calls, bytes;
    uint64_t cpu_count;
    double cpu, cpu_deviation; /* ns per operation without the clock's cost, NAN unknown; of one operation */
    struct histogram all;
};

/* One direction and size. */
struct live_class {
    char direction[16], size[16];
    struct histogram arms[AB_ARMS];
};

struct live_result {
    json_t *raw; /* what the library said last */
    bool running;
    double share, elapsed;
    char kind[24];
    uint64_t discarded;
    struct live_arm arms[AB_ARMS]; /* WITHOUT is the control arm */
    struct live_class classes[LIVE_CLASSES];
    int classes_count;
    struct histogram_comparison figures[LIVE_FIGURES]; /* the first, of p50, is the verdict's */
    bool compared;
};

/* What frames the result. */
struct live_context {
    struct process process;
    double cpu_used; /* seconds of CPU that the whole process used meanwhile; NAN unknown */
    bool interrupted, died;
    uint64_t seed;
};

/* Read the answer to `show ab json`. False, after a complaint, when it is not one. The result is to be freed. */
bool live_read(struct live_result *result, const char *answer);
void live_free(struct live_result *result);
/* Fill in the figures; false when an arm is empty. */
bool live_compare(struct live_result *result, uint64_t seed, size_t resamples);

/* What the cache saves: CPU ms per second at the rate of operations that was seen, and which share of the process's CPU
 * that is (of what it would use with all operations bare). NAN: unknown. */
struct live_saving {
    double rate, per_second, share;
};
struct live_saving live_saving(const struct live_result *result, const struct live_context *context);

/* The verdict in one sentence; false when there is none. */
bool live_verdict(const struct live_result *result, char *text, size_t size);
void live_table(const struct live_result *result, const struct live_context *context);
void live_warnings(const struct live_result *result, const struct live_context *context, FILE *to);
bool live_json(const struct live_result *result, const struct live_context *context, const char *file);
bool live_plot(const struct live_result *result, const struct live_context *context, const char *file);

#endif
