#include "stats/counters.h"
#include "preload/magazine.h"

#include <string.h>

struct counters counters_shared;

void counters_add(struct counters *sum, const struct counters *from) {
#define COUNTER(id, help) sum->id += atomic_load_explicit(&from->id, memory_order_relaxed);
#define BYPASS(id, help) COUNTER(bypass_##id, help)
#include "stats/counters.def"
#undef BYPASS
#undef COUNTER
}

void counters_sum(struct counters *sum) {
    memset(sum, 0, sizeof *sum);
    counters_add(sum, &counters_shared);
    for (struct magazine *m = magazine_first(); m; m = m->next)
        counters_add(sum, &m->counters);
}

uint64_t counters_calls(const struct counters *c) {
    return c->best_slot_calls + c->import_calls + c->create_calls;
}
uint64_t counters_hits(const struct counters *c) {
    return c->best_slot_hits + c->import_hits + c->create_hits;
}
uint64_t counters_misses(const struct counters *c) {
    return c->best_slot_misses + c->import_misses + c->create_misses;
}
uint64_t counters_bypasses(const struct counters *c) {
    uint64_t sum = 0;
#define COUNTER(id, help)
#define BYPASS(id, help) sum += c->bypass_##id;
#include "stats/counters.def"
#undef BYPASS
#undef COUNTER
    return sum;
}
