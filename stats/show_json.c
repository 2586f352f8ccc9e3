/* `show stat json`. The names are the list's; the schema number says when one of them goes or means something else. */
#include "preload/options.h"
#include "preload/root.h"
#include "stats/show.h"

#include <unistd.h>

extern char *program_invocation_short_name;

typedef unsigned long long ull;

static void add_counters(struct text *t, const struct counters *c) {
    text_add(t, "\"counters\":{\"calls\":%llu,\"hits\":%llu,\"misses\":%llu,\"bypasses\":%llu", (ull)counters_calls(c),
             (ull)counters_hits(c), (ull)counters_misses(c), (ull)counters_bypasses(c));
    for (unsigned i = 0; i < counter_list_size; i++)
        text_add(t, ",\"%s\":%llu", counter_list[i].name, (ull)counter_value(c, &counter_list[i]));
    text_add(t, "}");
}

static void add_gauges(struct text *t, const struct gauges *g) {
    text_add(t, ",\"gauges\":{");
    for (unsigned i = 0; i < gauge_list_size; i++)
        text_add(t, "%s\"%s\":%llu", i ? "," : "", gauge_list[i].name, (ull)gauge_value(g, &gauge_list[i]));
    text_add(t, "}");
}

static void add_histogram(struct text *t, const char *name, const struct histogram *h) {
    text_add(t, "\"%s\":{\"count\":%llu,\"sum\":%llu,\"max\":%llu", name, (ull)h->count, (ull)h->sum, (ull)h->max);
    text_add(t, ",\"p50\":%llu,\"p90\":%llu,\"p99\":%llu,\"p999\":%llu,\"buckets\":[", (ull)histogram_quantile(h, 0.5),
             (ull)histogram_quantile(h, 0.9), (ull)histogram_quantile(h, 0.99), (ull)histogram_quantile(h, 0.999));
    bool first = true;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->buckets[i]) {
            text_add(t, "%s[%llu,%llu,%llu]", first ? "" : ",", (ull)histogram_lower(i), (ull)histogram_lower(i + 1),
                     (ull)h->buckets[i]);
            first = false;
        }
    text_add(t, "]}");
}

static void add_latency(struct text *t, const struct latency *latency) {
    const char *comma = "";
    text_add(t, ",\"latency\":{\"sample\":%ld,\"unit\":\"ns\",\"operations\":{", option(&options.sample));
#define SAMPLED(id, function)                                                                                          \
    text_add(t, "%s", comma);                                                                                          \
    add_histogram(t, #id, &latency->calls[SAMPLED_##id]);                                                              \
    comma = ",";
    SAMPLED_CALLS
#undef SAMPLED
    text_add(t, "}}");
}

void show_stat_json(struct text *t, const struct snapshot *s) {
    text_add(t, "{\"schema\":%d,\"library_version\":\"%s\",\"pid\":%d,\"program\":", SHOW_SCHEMA, PK11CACHE_VERSION,
             (int)getpid());
    text_add_quoted(t, program_invocation_short_name);
    text_add(t, ",\"uptime\":%.3f,\"since_reset\":%.3f,\"nss_version\":", s->uptime, s->since_reset);
    text_add_quoted(t, root_nss_version());
    text_add(t, ",\"engine\":\"%s\",\"mode\":\"%s\",", snapshot_engine(), snapshot_mode());
    add_counters(t, &s->counters);
    add_gauges(t, &s->gauges);
    add_latency(t, &s->latency);
    text_add(t, "}\n");
}
