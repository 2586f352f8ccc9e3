/* counters.h - what is counted, per thread, and the one list of it.
 *
 * Each thread adds to a struct counters of its own, on lines that no other core writes; a reader sums them all.
 * Adding is a plain load and store (only the owner writes); threads that have no magazine share one block and
 * pay an atomic addition. Nothing here calls NSS, allocates or locks. */
#ifndef PK11CACHE_COUNTERS_H
#define PK11CACHE_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic uint64_t counter;

/* Which OPERATION of counters.def a context is for. */
enum operation_class {
#define COUNTER(id, metric, labels, unit, help)
#define OPERATION(mechanism, direction, name) OPERATION_##mechanism##_##direction,
#include "stats/counters.def"
    OPERATION_CLASSES
};

struct counters {
#define COUNTER(id, metric, labels, unit, help) counter id;
#define OPERATION(mechanism, direction, name)
#include "stats/counters.def"
    counter operations[OPERATION_CLASSES];
    counter operation_bytes[OPERATION_CLASSES];
};

/* The block of threads without a magazine. */
extern struct counters counters_shared;

static inline void counter_add_own(counter *c, uint64_t n) {
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n, memory_order_relaxed);
}

/* Add n to a counter of `block`: the thread's own block, or NULL for the shared one. */
#define COUNT_N(block, id, n)                                                                                          \
    ((block) ? counter_add_own(&(block)->id, (n))                                                                      \
             : (void)atomic_fetch_add_explicit(&counters_shared.id, (n), memory_order_relaxed))
#define COUNT(block, id) COUNT_N(block, id, 1)

/* The sum over all threads of this process since its start or fork, into a private struct. Any thread; takes no lock.
 * Each counter is exact; those of a call that is under way may be a step apart. */
void counters_sum(struct counters *sum);
/* `sum` less what it was at `before`. */
void counters_subtract(struct counters *sum, const struct counters *before);

/* Sums over the three cached calls, and over the reasons of bypasses. */
uint64_t counters_hits(const struct counters *);
uint64_t counters_misses(const struct counters *);
uint64_t counters_bypasses(const struct counters *);
/* What was looked up: hits + misses + bypasses. */
uint64_t counters_calls(const struct counters *);

/* A counter as every format shows it: in the order of the list, a Prometheus family together. */
struct counter_entry {
    const char *name, *metric, *labels, *unit, *help;
    size_t offset; /* in struct counters */
};
extern const struct counter_entry counter_list[];
extern const unsigned counter_list_size;

static inline uint64_t counter_value(const struct counters *c, const struct counter_entry *entry) {
    return *(const counter *)(const void *)((const char *)c + entry->offset);
}

#endif
