#include "preload/biased_lock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From linux/membarrier.h, which older systems lack. */
enum { MEMBARRIER_EXPEDITED = 1 << 3, MEMBARRIER_REGISTER = 1 << 4 };

_Atomic bool biased_lock_asymmetric;

static long membarrier(int command) {
#ifdef SYS_membarrier
    int saved = errno;
    long result = syscall(SYS_membarrier, command, 0);
    errno = saved;
    return result;
#else
    (void)command;
    return -1;
#endif
}

void biased_lock_init(bool allowed) {
#if defined(__SANITIZE_THREAD__)
    allowed = false; /* the sanitizer cannot see a barrier that another thread makes for us */
#endif
    atomic_store(&biased_lock_asymmetric, allowed && membarrier(MEMBARRIER_REGISTER) == 0);
}

void biased_lock_barrier(void) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&biased_lock_asymmetric, memory_order_relaxed))
        membarrier(MEMBARRIER_EXPEDITED);
}

static void wait_while_set(_Atomic unsigned char *flag) {
    for (unsigned spins = 0; atomic_load_explicit(flag, memory_order_acquire); spins++)
        if (spins > 64)
            sched_yield();
}

bool biased_lock_enter_shared(struct biased_lock *lock) {
    while (atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire))
        wait_while_set(&lock->taken);
    return false;
}

bool biased_lock_enter_foreign(struct biased_lock *lock) {
    if (atomic_load_explicit(&lock->shared, memory_order_acquire) != BIAS_SHARED) {
        atomic_store_explicit(&lock->shared, BIAS_ANNOUNCED, memory_order_seq_cst);
        biased_lock_barrier();
        atomic_store_explicit(&lock->shared, BIAS_SHARED, memory_order_release);
    }
    wait_while_set(&lock->busy);
    return biased_lock_enter_shared(lock);
}
