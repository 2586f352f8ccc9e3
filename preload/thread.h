/* thread.h - what a thread has of ours: a pointer to its magazine, and the guard. A few bytes of static TLS. */
#ifndef PK11CACHE_THREAD_H
#define PK11CACHE_THREAD_H

#include <stdbool.h>

struct thread {
    struct magazine *magazine;
    /* Real calls re-enter our hooks through libnss3's PLT: while the guard is set nothing is cached or counted, but
     * handles are still recognised, since the program's own code can run inside (callbacks, a key's freeFunc). */
    unsigned guard;
    bool ended;
};

extern __thread struct thread thread_self;

static inline void guard_enter(void) {
    thread_self.guard++;
}
static inline void guard_leave(void) {
    thread_self.guard--;
}

#endif
