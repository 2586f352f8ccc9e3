/* counters.h - what is counted, per thread.
 *
 * Each thread adds to a struct counters of its own, on lines that no other core writes; a reader sums them all.
 * Adding is a plain load and store (only the owner writes); threads that have no magazine share one block and
 * pay an atomic addition. Nothing here calls NSS, allocates or locks. */
#ifndef PK11CACHE_COUNTERS_H
#define PK11CACHE_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

typedef _Atomic uint64_t counter;

struct counters {
#define COUNTER(id, help) counter id;
#define BYPASS(id, help) counter bypass_##id;
#include "stats/counters.def"
#undef BYPASS
#undef COUNTER
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

/* Add `from` to `sum` (a private struct). */
void counters_add(struct counters *sum, const struct counters *from);

/* The sum over all threads of this process since its start or fork. Any thread; takes no lock. */
void counters_sum(struct counters *sum);

/* Sums of the three cached calls, and of the bypasses over reasons. */
uint64_t counters_calls(const struct counters *);
uint64_t counters_hits(const struct counters *);
uint64_t counters_misses(const struct counters *);
uint64_t counters_bypasses(const struct counters *);

#endif
