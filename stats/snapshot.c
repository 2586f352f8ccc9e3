#include "stats/snapshot.h"
#include "preload/magazine.h"
#include "preload/options.h"

#include <string.h>
#include <time.h>

const struct gauge_entry gauge_list[] = {
#define COUNTER(id, metric, labels, unit, help)
#define OPERATION(mechanism, direction, name)
#define GAUGE(id, metric, unit, help) {#id, metric, unit, help, offsetof(struct gauges, id)},
#include "stats/counters.def"
};
const unsigned gauge_list_size = sizeof gauge_list / sizeof *gauge_list;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A child can destroy more handles than it made: its parent's. */
static uint64_t handles_now(const struct counters *c) {
    return c->handles_made > c->handles_destroyed ? c->handles_made - c->handles_destroyed : 0;
}

void snapshot_note_handles(void) {
    struct root *root = root_peek();
    struct counters sum;
    counters_sum(&sum);
    if (root)
        root_raise(&root->handles_most, (unsigned)handles_now(&sum));
}

static uint64_t threads_now(void) {
    uint64_t threads = 0;
    for (struct magazine *m = magazine_first(); m; m = m->next)
        threads += !atomic_load_explicit(&m->orphan, memory_order_relaxed);
    return threads;
}

static void take_gauges(struct gauges *g, struct root *root, const struct counters *whole) {
    memset(g, 0, sizeof *g);
    if (!root)
        return;
    g->keys_now = atomic_load(&root->keys_live);
    g->engines_now = atomic_load(&root->engines_live);
    g->handles_now = handles_now(whole);
    root_raise(&root->handles_most, (unsigned)g->handles_now);
    g->keys_most = atomic_load(&root->keys_most);
    g->engines_most = atomic_load(&root->engines_most);
    g->handles_most = atomic_load(&root->handles_most);
    g->threads_now = threads_now();
    g->memory_bytes = root_memory();
}

void snapshot_take(struct snapshot *s, bool whole) {
    struct root *root = root_peek();
    const struct snapshot *before = root && !whole ? root->baseline : NULL;
    memset(s, 0, sizeof *s);
    counters_sum(&s->counters);
    take_gauges(&s->gauges, root, &s->counters);
    if (!root)
        return;
    for (unsigned i = 0; i < SAMPLED_COUNT; i++)
        histogram_copy(&s->latency.calls[i], &root->latency.calls[i], before ? &before->latency.calls[i] : NULL);
    s->uptime = seconds() - root->started;
    if (before) {
        counters_subtract(&s->counters, &before->counters);
        s->since_reset = s->uptime - before->uptime;
    }
}

void snapshot_reset(const struct snapshot *from) {
    struct root *root = root_peek();
    if (!root)
        return;
    if (!root->baseline)
        root->baseline = root_pages(sizeof *root->baseline);
    if (root->baseline)
        memcpy(root->baseline, from, sizeof *from);
    for (unsigned i = 0; i < SAMPLED_COUNT; i++)
        atomic_store(&root->latency.calls[i].max, 0);
}

const char *snapshot_mode(void) {
    static const char *const names[] = {"unknown", "inert", "off", "cold", "up", "down"};
    return names[atomic_load(&process.mode)];
}

const char *snapshot_engine(void) {
    static const char *const names[] = {"stream", "reset", "off"};
    return names[option(&options.engine)];
}
