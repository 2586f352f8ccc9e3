#include "stats/counters.h"
#include "preload/magazine.h"

#include <string.h>

struct counters counters_shared;

enum { WORDS = sizeof(struct counters) / sizeof(counter) };

static counter *words(struct counters *c) {
    return (counter *)(void *)c;
}

static void add(struct counters *sum, struct counters *from) {
    for (unsigned i = 0; i < WORDS; i++)
        counter_add_own(words(sum) + i, atomic_load_explicit(words(from) + i, memory_order_relaxed));
}

void counters_sum(struct counters *sum) {
    memset(sum, 0, sizeof *sum);
    add(sum, &counters_shared);
    for (struct magazine *m = magazine_first(); m; m = m->next)
        add(sum, &m->counters);
}

void counters_subtract(struct counters *sum, const struct counters *before) {
    for (unsigned i = 0; i < WORDS; i++)
        words(sum)[i] -= ((const counter *)(const void *)before)[i];
}

uint64_t counters_hits(const struct counters *c) {
    return c->best_slot_hits + c->import_hits + c->create_hits;
}
uint64_t counters_misses(const struct counters *c) {
    return c->best_slot_misses + c->import_misses + c->create_misses;
}
uint64_t counters_bypasses(const struct counters *c) {
    return c->best_slot_bypasses + c->import_bypasses + c->create_bypasses;
}
uint64_t counters_calls(const struct counters *c) {
    return counters_hits(c) + counters_misses(c) + counters_bypasses(c);
}

#define AT(id) offsetof(struct counters, id)
#define LABELS(mechanism, direction) "mechanism=\"" #mechanism "\",direction=\"" #direction "\""

const struct counter_entry counter_list[] = {
#define COUNTER(id, metric, labels, unit, help) {#id, metric, labels, unit, help, AT(id)},
#define ALIAS(id, of, metric, labels, unit, help) {#id, metric, labels, unit, help, AT(of)},
#define OPERATION(mechanism, direction, name)
#include "stats/counters.def"
#define COUNTER(id, metric, labels, unit, help)
#define OPERATION(mechanism, direction, name)                                                                          \
    {"operations_" #mechanism "_" #direction,                                                                          \
     "operations",                                                                                                     \
     LABELS(mechanism, direction),                                                                                     \
     "calls",                                                                                                          \
     "PK11_CipherOp and PK11_DigestOp of cached contexts: " name ", " #direction,                                      \
     AT(operations[OPERATION_##mechanism##_##direction])},
#include "stats/counters.def"
#define COUNTER(id, metric, labels, unit, help)
#define OPERATION(mechanism, direction, name)                                                                          \
    {"bytes_" #mechanism "_" #direction,                                                                               \
     "operation_bytes",                                                                                                \
     LABELS(mechanism, direction),                                                                                     \
     "bytes",                                                                                                          \
     "bytes given to them: " name ", " #direction,                                                                     \
     AT(operation_bytes[OPERATION_##mechanism##_##direction])},
#include "stats/counters.def"
};
const unsigned counter_list_size = sizeof counter_list / sizeof *counter_list;
