#include "view.h"
#include "format.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const view_call_names[VIEW_CALLS] = {"create", "cipher_op"};

static unsigned long long number(const json_t *object, const char *name) {
    return (unsigned long long)json_integer_value(json_object_get(object, name));
}

static void text(const json_t *object, const char *name, char *to, size_t size) {
    const char *value = json_string_value(json_object_get(object, name));
    snprintf(to, size, "%s", value ? value : "?");
    format_printable(to);
}

static bool read_histogram(const json_t *from, struct view_histogram *to) {
    const json_t *buckets = json_object_get(from, "buckets");
    to->count = json_array_size(buckets);
    to->max = json_number_value(json_object_get(from, "max"));
    to->buckets = calloc(to->count + 1, sizeof *to->buckets);
    for (size_t i = 0; to->buckets && i < to->count; i++) {
        const json_t *bucket = json_array_get(buckets, i);
        to->buckets[i].lower = json_number_value(json_array_get(bucket, 0));
        to->buckets[i].upper = json_number_value(json_array_get(bucket, 1));
        to->buckets[i].count = (unsigned long long)json_integer_value(json_array_get(bucket, 2));
    }
    return to->buckets;
}

static void read_scalars(const json_t *root, struct view *view) {
    const json_t *counters = json_object_get(root, "counters"), *gauges = json_object_get(root, "gauges");
    view->uptime = json_number_value(json_object_get(root, "uptime"));
    view->since_reset = json_number_value(json_object_get(root, "since_reset"));
    text(root, "program", view->program, sizeof view->program);
    text(root, "library_version", view->version, sizeof view->version);
    text(root, "nss_version", view->nss, sizeof view->nss);
    text(root, "engine", view->engine, sizeof view->engine);
    text(root, "mode", view->mode, sizeof view->mode);
    view->calls = number(counters, "calls");
    view->hits = number(counters, "hits");
    view->misses = number(counters, "misses");
    view->bypasses = number(counters, "bypasses");
    view->keys = number(gauges, "keys_now");
    view->engines = number(gauges, "engines_now");
    view->handles = number(gauges, "handles_now");
}

static bool read_root(const json_t *root, struct view *view, char *problem, size_t size) {
    enum { SCHEMA = 1 };
    const json_t *operations = json_object_get(json_object_get(root, "latency"), "operations");
    bool fine = true;
    if (!json_object_get(root, "counters")) {
        snprintf(problem, size, "the answer has no counters: it is not pk11cache's");
        return false;
    }
    if (number(root, "schema") != SCHEMA) {
        snprintf(problem, size, "the library speaks schema %llu, this command %d; use those of one version",
                 number(root, "schema"), SCHEMA);
        return false;
    }
    read_scalars(root, view);
    for (int i = 0; i < VIEW_CALLS; i++)
        fine = read_histogram(json_object_get(operations, view_call_names[i]), &view->calls_ns[i]) && fine;
    if (!fine)
        snprintf(problem, size, "no memory");
    return fine;
}

bool view_parse(const char *json, struct view *view, char *problem, size_t size) {
    json_error_t error;
    json_t *root = json_loads(json, 0, &error);
    *view = (struct view){0};
    if (!root) {
        snprintf(problem, size, "the answer is no JSON: %s", error.text);
        return false;
    }
    bool fine = read_root(root, view, problem, size);
    if (!fine)
        view_free(view);
    json_decref(root);
    return fine;
}

void view_free(struct view *view) {
    for (int i = 0; i < VIEW_CALLS; i++)
        free(view->calls_ns[i].buckets);
    *view = (struct view){0};
}

static unsigned long long count_of(const struct view_histogram *h, double lower) {
    for (size_t i = 0; h && i < h->count; i++)
        if (h->buckets[i].lower == lower)
            return h->buckets[i].count;
    return 0;
}

/* The middle of the bucket in which the quantile is, as the library itself says it. The library takes a quantile's
 * most from `max`, which is that of all time: so it bounds this one too. */
static double quantile(const struct view_histogram *before, const struct view_histogram *now, double share) {
    unsigned long long total = 0, seen = 0;
    for (size_t i = 0; i < now->count; i++)
        total += now->buckets[i].count - count_of(before, now->buckets[i].lower);
    if (!total)
        return NAN;
    unsigned long long rank = (unsigned long long)(share * (double)total + 0.5);
    for (size_t i = 0; i < now->count; i++) {
        const struct view_bucket *b = &now->buckets[i];
        seen += b->count - count_of(before, b->lower);
        if (seen >= (rank ? rank : 1))
            return fmin(floor((b->lower + b->upper) / 2), now->max);
    }
    return now->max;
}

static bool was_reset(const struct view *before, const struct view *now) {
    return now->calls < before->calls || now->uptime < before->uptime || now->since_reset < before->since_reset ||
           (now->since_reset > 0 && !(before->since_reset > 0));
}

struct view_rates view_between(const struct view *before, const struct view *now) {
    struct view_rates r = {.calls = now->calls, .seconds = now->since_reset > 0 ? now->since_reset : now->uptime};
    unsigned long long hits = now->hits;
    if (before && was_reset(before, now))
        before = NULL;
    if (before) {
        r.calls -= before->calls;
        r.seconds = now->uptime - before->uptime;
        hits -= before->hits;
    }
    r.calls_a_second = r.seconds > 0 ? (double)r.calls / r.seconds : NAN;
    r.hit_percent = r.calls ? 100 * (double)hits / (double)r.calls : NAN;
    for (int i = 0; i < VIEW_CALLS; i++) {
        const struct view_histogram *earlier = before ? &before->calls_ns[i] : NULL;
        r.p50[i] = quantile(earlier, &now->calls_ns[i], 0.5);
        r.p99[i] = quantile(earlier, &now->calls_ns[i], 0.99);
    }
    return r;
}
