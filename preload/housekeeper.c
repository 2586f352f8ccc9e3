/* The helper thread: it ages the cache and answers on the stats socket. It blocks all signals, may fail to start, and
 * is not started under a seccomp filter, which could kill the process for it; the cache then works without both. */
#include "preload/cache.h"
#include "preload/libc.h"
#include "preload/options.h"
#include "preload/say.h"
#include "stats/experiment.h"
#include "stats/sites.h"
#include "stats/snapshot.h"
#include "stats/socket.h"

#include <errno.h>
#include <locale.h>
#include <sys/prctl.h>
#include <time.h>

enum { TICK_MS = 1000, EXPERIMENT_TICK_MS = 20 };

static _Atomic bool exiting, opening;

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until something is due: the next tick, or the next ageing of a short idle_ttl. */
static int wait_ms(long age_due) {
    long left = age_due - now_ms();
    if (experiment_running()) /* it ends on time */
        left = left < EXPERIMENT_TICK_MS ? left : EXPERIMENT_TICK_MS;
    return left < 1 ? 1 : left < TICK_MS ? (int)left : TICK_MS;
}

/* An idle key goes at its second ageing without use: at most idle_ttl after the last one. */
static long age_period(void) {
    return option(&options.idle_ttl) * 500;
}

/* A short-lived program is not made to load libunwind, unless it was asked for stacks. */
static bool stacks_asked_for(void) {
    return options.sites.source != FROM_DEFAULT || options.stacks.source != FROM_DEFAULT;
}

/* PK11CACHE_AB: an experiment for the whole life of the process. */
static void start_experiment(void) {
    struct experiment_plan plan;
    const char *share = options.ab.text;
    const char *problem = *share ? experiment_parse(&share, 1, &plan) : NULL;
    if (problem)
        say("PK11CACHE_AB=%s: %s", share, problem);
    else if (*share)
        experiment_start(&plan);
}

static void *housekeeper(void *arg) {
    struct root *root = arg;
    prctl(PR_SET_NAME, "pk11cache");
    /* Numbers are written with a dot, whatever the program set for itself. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain)
        uselocale(plain);
    start_experiment();
    if (stacks_asked_for())
        sites_prepare();
    /* An exit that finds `opening` waits for it, so that no path is left behind. */
    atomic_store(&opening, true);
    if (!atomic_load(&exiting))
        socket_open();
    atomic_store(&opening, false);
    long aged = now_ms();
    while (!atomic_load(&exiting) && root_peek() == root) {
        socket_serve(wait_ms(aged + age_period()));
        if (atomic_load(&exiting))
            break;
        root_helper_enter();
        sites_prepare();
        experiment_tick();
        root_apply_engine();
        snapshot_note_handles();
        if (now_ms() - aged >= age_period()) {
            cache_age();
            aged = now_ms();
        }
        root_helper_leave();
    }
    return NULL;
}

void housekeeper_start(struct root *root) {
    if (atomic_load_explicit(&root->helper_started, memory_order_relaxed) ||
        atomic_exchange_explicit(&root->helper_started, true, memory_order_relaxed))
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
    struct root *root = root_peek();
    atomic_store(&exiting, true);
    for (int i = 0; root && atomic_load(&root->helper_started) && atomic_load(&opening) && i < 2000; i++)
        nanosleep(&(struct timespec){0, 50000}, NULL);
    socket_remove();
    for (int i = 0; root && atomic_load(&root->disposing) && i < 2000; i++)
        nanosleep(&(struct timespec){0, 50000}, NULL); /* it is with NSS, which may be unloaded next: 0.1 s at most */
}
