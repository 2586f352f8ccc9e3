/* view.h - what `show stat json` says, as numbers, and what happened between two looks. */
#ifndef PK11CACHE_VIEW_H
#define PK11CACHE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

/* A call whose latency is shown. */
enum view_call { VIEW_CREATE, VIEW_CIPHER_OP, VIEW_CALLS };
extern const char *const view_call_names[VIEW_CALLS];

struct view_bucket {
    double lower, upper; /* ns */
    unsigned long long count;
};

struct view_histogram {
    struct view_bucket *buckets; /* only those with a count, ascending */
    size_t count;
    double max;
};

struct view {
    double uptime, since_reset; /* s; since_reset is 0 when there was no reset */
    char program[64], version[32], nss[32], engine[16], mode[16];
    unsigned long long calls, hits, misses, bypasses;
    unsigned long long keys, engines, handles;
    struct view_histogram calls_ns[VIEW_CALLS];
};

/* False, with `problem` filled in, when the answer is no such JSON. To be freed by view_free when true. */
bool view_parse(const char *json, struct view *view, char *problem, size_t size);
void view_free(struct view *view);

/* What happened in a while. A share or latency of nothing is NAN. */
struct view_rates {
    double seconds;
    unsigned long long calls;
    double calls_a_second, hit_percent;
    double p50[VIEW_CALLS], p99[VIEW_CALLS]; /* ns */
};

/* Between `before` and `now`; since the start, or the last reset, when `before` is NULL or there was a reset since. */
struct view_rates view_between(const struct view *before, const struct view *now);

#endif
