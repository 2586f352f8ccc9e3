/* biased_lock.h - a lock that costs its usual owner no atomic read-modify-write.
 *
 * The owner announces itself with a plain store and then looks whether somebody else is interested. Somebody
 * else marks the lock shared, makes every thread of the process execute a barrier (membarrier(2),
 * PRIVATE_EXPEDITED), and only then trusts what the owner has announced. Where the kernel has no such barrier, or a
 * seccomp filter could kill for it, the lock starts as shared and everybody pays one atomic exchange.
 *
 * Rank: a record's lock, then a magazine's; neither is ever held while NSS code runs that can call the program. */
#ifndef PK11CACHE_BIASED_LOCK_H
#define PK11CACHE_BIASED_LOCK_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum { BIAS_OWNER, BIAS_ANNOUNCED, BIAS_SHARED };

struct biased_lock {
    _Atomic unsigned char busy;   /* the owner is inside */
    _Atomic unsigned char shared; /* BIAS_... */
    _Atomic unsigned char taken;  /* who is inside, once shared */
};

/* Try to have cheap barriers for this process (again after a fork). Without them every lock is shared from its start.
 */
void biased_lock_init(bool allowed);
/* True when they are to be had. */
extern _Atomic bool biased_lock_asymmetric;
/* A barrier in every thread of the process. */
void biased_lock_barrier(void);

/* Enter, waiting; the owner's way and everybody else's. The result is handed to biased_lock_leave. */
bool biased_lock_enter_shared(struct biased_lock *lock);
bool biased_lock_enter_foreign(struct biased_lock *lock);

/* For a lock that nobody holds: start anew, for a new owner. */
static inline void biased_lock_reset(struct biased_lock *lock) {
    bool cheap = atomic_load_explicit(&biased_lock_asymmetric, memory_order_relaxed);
    atomic_store_explicit(&lock->shared, cheap ? BIAS_OWNER : BIAS_SHARED, memory_order_release);
}

/* True: entered by the owner's way. */
static inline bool biased_lock_enter_owner(struct biased_lock *lock) {
    atomic_store_explicit(&lock->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (likely(atomic_load_explicit(&lock->shared, memory_order_acquire) == BIAS_OWNER))
        return true;
    atomic_store_explicit(&lock->busy, 0, memory_order_release);
    return biased_lock_enter_shared(lock);
}

static inline void biased_lock_leave(struct biased_lock *lock, bool owner) {
    atomic_store_explicit(owner ? &lock->busy : &lock->taken, 0, memory_order_release);
}

/* The owner tries once. False: somebody empties the magazine now, or a signal handler interrupted the owner inside. */
static inline bool biased_lock_try(struct biased_lock *lock, bool *owner) {
    if (unlikely(atomic_load_explicit(&lock->shared, memory_order_relaxed) == BIAS_SHARED)) {
        *owner = false;
        return !atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire);
    }
    *owner = true;
    if (unlikely(atomic_load_explicit(&lock->busy, memory_order_relaxed)))
        return false;
    atomic_store_explicit(&lock->busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (likely(atomic_load_explicit(&lock->shared, memory_order_acquire) == BIAS_OWNER))
        return true;
    atomic_store_explicit(&lock->busy, 0, memory_order_release);
    return false;
}

/* Somebody else, in three steps, so that one barrier serves many locks: announce, biased_lock_barrier(), seize. A lock
 * that was announced must be released, whether it was seized or not. */
static inline void biased_lock_announce(struct biased_lock *lock) {
    if (atomic_load_explicit(&lock->shared, memory_order_relaxed) == BIAS_OWNER)
        atomic_store_explicit(&lock->shared, BIAS_ANNOUNCED, memory_order_seq_cst);
}

static inline bool biased_lock_seize(struct biased_lock *lock) {
    if (atomic_load_explicit(&lock->shared, memory_order_relaxed) == BIAS_SHARED)
        return !atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire);
    return !atomic_load_explicit(&lock->busy, memory_order_acquire);
}

static inline void biased_lock_release(struct biased_lock *lock, bool seized) {
    if (atomic_load_explicit(&lock->shared, memory_order_relaxed) == BIAS_ANNOUNCED)
        atomic_store_explicit(&lock->shared, BIAS_OWNER, memory_order_release);
    else if (seized)
        atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
