/* `show metrics`: Prometheus's text format. A family's HELP and TYPE come once, its samples together. Nothing that
 * grows with the number of keys is a label. */
#include "preload/root.h"
#include "stats/show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char *program_invocation_short_name;

typedef unsigned long long ull;

static const char *family_help(const struct counter_entry *entry) {
#define COUNTER(id, metric, labels, unit, help)
#define OPERATION(mechanism, direction, name)
#define FAMILY(metric_name, help_text)                                                                                 \
    if (strcmp(entry->metric, #metric_name) == 0)                                                                      \
        return help_text;
#include "stats/counters.def"
    return entry->help;
}

/* {pid="1",program="ceph-osd"...: the labels of each sample. */
static void add_labels(struct text *t, const char *more) {
    text_add(t, "{pid=\"%d\",program=", (int)getpid());
    text_add_quoted(t, program_invocation_short_name);
    text_add(t, "%s%s}", *more ? "," : "", more);
}

static void add_head(struct text *t, const char *name, const char *suffix, const char *help, const char *type) {
    text_add(t, "# HELP pk11cache_%s%s %s\n# TYPE pk11cache_%s%s %s\n", name, suffix, help, name, suffix, type);
}

static void add_counters(struct text *t, const struct counters *c) {
    const char *family = "";
    for (unsigned i = 0; i < counter_list_size; i++) {
        const struct counter_entry *entry = &counter_list[i];
        if (strcmp(family, entry->metric) != 0)
            add_head(t, entry->metric, "_total", family_help(entry), "counter");
        family = entry->metric;
        text_add(t, "pk11cache_%s_total", entry->metric);
        add_labels(t, entry->labels);
        text_add(t, " %llu\n", (ull)counter_value(c, entry));
    }
}

static void add_gauges(struct text *t, const struct gauges *g) {
    for (unsigned i = 0; i < gauge_list_size; i++) {
        add_head(t, gauge_list[i].metric, "", gauge_list[i].help, "gauge");
        text_add(t, "pk11cache_%s", gauge_list[i].metric);
        add_labels(t, "");
        text_add(t, " %llu\n", (ull)gauge_value(g, &gauge_list[i]));
    }
}

static void add_sample(struct text *t, const char *suffix, const char *call, const char *bound, double value) {
    char labels[96];
    snprintf(labels, sizeof labels, "call=\"%s\"%s%s%s", call, *bound ? ",le=\"" : "", bound, *bound ? "\"" : "");
    text_add(t, "pk11cache_call_duration_seconds%s", suffix);
    add_labels(t, labels);
    text_add(t, " %.17g\n", value);
}

/* Bounds at powers of two. Values are whole nanoseconds, so that "below 2^n" is "at most 2^n - 1". */
static void add_histogram(struct text *t, const char *call, const struct histogram *h) {
    enum { FIRST = 5, LAST = 30 };
    uint64_t below = 0;
    unsigned i = 0;
    char bound[32];
    for (unsigned power = FIRST; power <= LAST; power++) {
        for (; histogram_lower(i) < UINT64_C(1) << power; i++)
            below += h->buckets[i];
        snprintf(bound, sizeof bound, "%.10g", (double)((UINT64_C(1) << power) - 1) / 1e9);
        add_sample(t, "_bucket", call, bound, (double)below);
    }
    add_sample(t, "_bucket", call, "+Inf", (double)h->count);
    add_sample(t, "_sum", call, "", (double)h->sum / 1e9);
    add_sample(t, "_count", call, "", (double)h->count);
}

void show_metrics(struct text *t, const struct snapshot *s) {
    char labels[160];
    add_head(t, "info", "", "versions and mode, always 1", "gauge");
    text_add(t, "pk11cache_info");
    snprintf(labels, sizeof labels, "version=\"%s\",nss_version=\"%.24s\",engine=\"%s\",mode=\"%s\"", PK11CACHE_VERSION,
             root_nss_version(), snapshot_engine(), snapshot_mode());
    add_labels(t, labels);
    text_add(t, " 1\n");
    add_head(t, "uptime_seconds", "", "seconds since the first cached call", "gauge");
    text_add(t, "pk11cache_uptime_seconds");
    add_labels(t, "");
    text_add(t, " %.3f\n", s->uptime);
    add_counters(t, &s->counters);
    add_gauges(t, &s->gauges);
    add_head(t, "call_duration_seconds", "", "latency of a sample of the calls", "histogram");
#define SAMPLED(id, function) add_histogram(t, #id, &s->latency.calls[SAMPLED_##id]);
    SAMPLED_CALLS
#undef SAMPLED
}
