#include "stats/show.h"
#include "preload/key.h"
#include "preload/magazine.h"
#include "preload/options.h"
#include "stats/names.h"
#include "stats/sites.h"

#include <unistd.h>

extern char *program_invocation_short_name;

typedef unsigned long long ull;

void show_info(struct text *t, const struct snapshot *s) {
    text_add(t, "version: %s\npid: %d\nprogram: %s\nnss: %s\nmode: %s\nengine: %s\n", PK11CACHE_VERSION, (int)getpid(),
             program_invocation_short_name, root_nss_version(), snapshot_mode(), snapshot_engine());
    text_add(t, "uptime: %.3f s\n", s->uptime);
    if (s->since_reset > 0)
        text_add(t, "since reset: %.3f s\n", s->since_reset);
    ull calls = counters_calls(&s->counters), hits = counters_hits(&s->counters);
    text_add(t, "calls: %llu\nhit share: %.3f %%\n", calls, calls ? 100 * (double)hits / (double)calls : 0.0);
    text_add(t, "keys: %llu (most %llu, bound %ld)\n", (ull)s->gauges.keys_now, (ull)s->gauges.keys_most,
             option(&options.max_keys));
    text_add(t, "engines: %llu (most %llu, bound %ld)\n", (ull)s->gauges.engines_now, (ull)s->gauges.engines_most,
             option(&options.max_engines));
    text_add(t, "handles: %llu (most %llu)\nthreads: %llu\nmemory: %llu bytes mapped\n", (ull)s->gauges.handles_now,
             (ull)s->gauges.handles_most, (ull)s->gauges.threads_now, (ull)s->gauges.memory_bytes);
}

static void add_totals(struct text *t, const struct counters *c, const char *format) {
    text_add(t, format, "calls", (ull)counters_calls(c), "calls", "all look-ups: hits + misses + bypasses");
    text_add(t, format, "hits", (ull)counters_hits(c), "calls", "answered from the cache");
    text_add(t, format, "misses", (ull)counters_misses(c), "calls", "asked NSS, for the cache");
    text_add(t, format, "bypasses", (ull)counters_bypasses(c), "calls", "left to NSS");
}

static void add_values(struct text *t, const struct snapshot *s, const char *format) {
    add_totals(t, &s->counters, format);
    for (unsigned i = 0; i < counter_list_size; i++)
        text_add(t, format, counter_list[i].name, (ull)counter_value(&s->counters, &counter_list[i]),
                 counter_list[i].unit, counter_list[i].help);
    for (unsigned i = 0; i < gauge_list_size; i++)
        text_add(t, format, gauge_list[i].name, (ull)gauge_value(&s->gauges, &gauge_list[i]), gauge_list[i].unit,
                 gauge_list[i].help);
}

void show_stat(struct text *t, const struct snapshot *s) {
    add_values(t, s, "%-28s %16llu %-9s %s\n");
    text_add(t, "latency (ns), one call in %ld%12s %10s %10s %10s %10s\n", option(&options.sample), "samples", "p50",
             "p90", "p99", "max");
#define SAMPLED(id, function)                                                                                          \
    text_add(t, "%-28s %10llu %10llu %10llu %10llu %10llu\n", #id, (ull)s->latency.calls[SAMPLED_##id].count,          \
             (ull)histogram_quantile(&s->latency.calls[SAMPLED_##id], 0.5),                                            \
             (ull)histogram_quantile(&s->latency.calls[SAMPLED_##id], 0.9),                                            \
             (ull)histogram_quantile(&s->latency.calls[SAMPLED_##id], 0.99), (ull)s->latency.calls[SAMPLED_##id].max);
    SAMPLED_CALLS
#undef SAMPLED
}

void show_report(struct text *t, const struct snapshot *s) {
    text_add(t, "pk11cache %s\npid %d\nprogram %s\nnss %s\n", PK11CACHE_VERSION, (int)getpid(),
             program_invocation_short_name, root_nss_version());
    add_values(t, s, "%s %llu\n");
    text_add(t, "\n");
}

/* A fingerprint tells keys apart and follows one through a run. It comes from the keyed hash under seeds of this
 * process, by one more secret step, so that it says nothing of the key and nothing of the hash table. */
static void show_key(struct text *t, struct root *root, struct key *key) {
    uint64_t start = key->hash ? key->hash : (uintptr_t)key->id;
    uint64_t fingerprint = secret_mix(start ^ secret_seed[2], secret_seed[3] | 1) ^ secret_seed[1];
    unsigned lines = atomic_load(&key->lines), holders = atomic_load(&key->holders);
    (void)root;
    text_add(t, "%016llx %-9s %5u %7u %7u ", (ull)fingerprint,
             !key->sym   ? "digest"
             : key->hash ? "imported"
                         : "made",
             key->bytes, lines, holders > lines + 2 ? holders - lines - 2 : 0);
    if (!key->sym)
        text_add(t, "SECOidTag %llu\n", (ull)((uintptr_t)key->id >> 1));
    else if (key->hash)
        names_add_what(t, key->identity.mechanism, key->identity.operation), text_add(t, "\n");
    else
        text_add(t, "-\n");
}

static bool any_key(struct key *key) {
    (void)key;
    return true;
}

void show_keys(struct text *t) {
    enum { AT_MOST = 1024 };
    struct root *root = root_peek();
    struct key *found[AT_MOST];
    text_add(t, "%-16s %-9s %5s %7s %7s %s\n", "fingerprint", "kind", "bytes", "threads", "engines", "imported for");
    for (unsigned shard = 0; root && shard < SHARDS; shard++) {
        unsigned count = key_collect(root, shard, any_key, found, AT_MOST);
        for (unsigned i = 0; i < count; i++) {
            show_key(t, root, found[i]);
            key_release(root, found[i]);
        }
    }
}

void show_config(struct text *t) {
    static const char *const sources[] = {"default", "environment", "socket"};
    char buffer[64];
    text_add(t, "%-14s %-20s %-11s %-6s %s\n", "option", "value", "from", "set", "values");
    for (unsigned i = 0; i < option_list_size; i++) {
        const struct option_entry *o = &option_list[i];
        const char *value = option_text(o, buffer, sizeof buffer);
        text_add(t, "%-14s %-20s %-11s %-6s %s\n", o->name, *value ? value : "-", sources[o->value->source],
                 o->when == LIVE ? "live" : "start", o->range);
    }
}
