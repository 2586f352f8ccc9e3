/* The helper thread: it ages the cache. It blocks all signals, may fail to start, and is not started under a seccomp
 * filter, which could kill the process for it; the cache then works without ageing. */
#include "preload/cache.h"
#include "preload/libc.h"
#include "preload/options.h"

#include <errno.h>
#include <time.h>

static _Atomic bool exiting;

static void *housekeeper(void *arg) {
    struct root *root = arg;
    /* An idle key goes at its second tick without use: at most idle_ttl after the last one. */
    long period = options.idle_ttl.number * 500;
    for (;;) {
        nanosleep(&(struct timespec){period / 1000, period % 1000 * 1000000}, NULL);
        if (atomic_load(&exiting) || root_peek() != root)
            return NULL;
        cache_age();
    }
}

void housekeeper_start(struct root *root) {
    if (atomic_exchange_explicit(&root->helper_started, true, memory_order_relaxed))
        return;
    int saved = errno;
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (root_seccomp_filter() || pthread_attr_init(&attributes))
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_create(&thread, &attributes, housekeeper, root);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    errno = saved;
}

void housekeeper_stop(void) {
    atomic_store(&exiting, true);
    struct root *root = root_peek();
    for (int i = 0; root && atomic_load(&root->disposing) && i < 2000; i++)
        nanosleep(&(struct timespec){0, 50000}, NULL); /* it is with NSS, which may be unloaded next: 0.1 s at most */
}
