/* thread.h - what a thread has of ours: a pointer to its magazine, the guard, and when it samples next. A few dozen
 * bytes of static TLS. */
#ifndef PK11CACHE_THREAD_H
#define PK11CACHE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct thread {
    struct magazine *magazine;
    int32_t countdown; /* calls until something is sampled (stats/sample.h) */
    uint32_t interval, latency_left, sites_left, draw;
    /* Real calls re-enter our hooks through libnss3's PLT: while the guard is set nothing is cached or counted, but
     * handles are still recognised, since the program's own code can run inside (callbacks, a key's freeFunc). */
    uint16_t guard;
    bool ended, due_latency, due_site;
};

extern __thread struct thread thread_self;

static inline void guard_enter(void) {
    thread_self.guard++;
}
static inline void guard_leave(void) {
    thread_self.guard--;
}

#endif
