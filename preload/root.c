#include "preload/root.h"
#include "preload/cache.h"
#include "preload/libc.h"
#include "preload/options.h"
#include "preload/say.h"
#include "preload/secret.h"
#include "preload/thread.h"
#include "stats/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct process process;

static _Atomic(struct root *) root;
static _Atomic bool registered;
static _Atomic(const char *) nss_version;

unsigned root_keys_live(void) {
    return root_peek() ? root_peek()->keys_live : 0;
}
unsigned root_engines_live(void) {
    return root_peek() ? root_peek()->engines_live : 0;
}

const char *root_nss_version(void) {
    const char *version = atomic_load(&nss_version);
    return version ? version : "-";
}

static _Atomic uint64_t memory;

uint64_t root_memory(void) {
    return atomic_load(&memory);
}

void *root_pages(size_t size) {
    int saved = errno;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED)
        madvise(pages, size, MADV_DONTDUMP);
    if (pages != MAP_FAILED)
        atomic_fetch_add(&memory, size);
    errno = saved;
    return pages == MAP_FAILED ? NULL : pages;
}

void root_pages_free(void *pages, size_t size) {
    munmap(pages, size);
    atomic_fetch_sub(&memory, size);
}

/* A fork while the helper thread is inside NSS would leave NSS's locks locked in the child for ever. So a fork waits
 * for the helper to come out, and keeps it out meanwhile: without a lock, and for a tenth of a second at most, since
 * the forking thread may hold what the helper waits for. */
static _Atomic bool helper_inside;
static _Atomic int forks;

void root_helper_enter(void) {
    for (;;) {
        atomic_store(&helper_inside, true);
        if (!atomic_load(&forks))
            return;
        atomic_store(&helper_inside, false);
        nanosleep(&(struct timespec){0, 50000}, NULL);
    }
}

void root_helper_leave(void) {
    atomic_store(&helper_inside, false);
}

static void before_fork(void) {
    int saved = errno;
    atomic_fetch_add(&forks, 1);
    for (int i = 0; atomic_load(&helper_inside) && i < 2000; i++)
        nanosleep(&(struct timespec){0, 50000}, NULL);
    errno = saved;
}

static void after_fork(void) {
    atomic_fetch_sub(&forks, 1);
}

/* The child handler only changes numbers: handlers that do work deadlock. */
static void forked(void) {
    atomic_store(&forks, 0);
    atomic_store(&helper_inside, false);
    atomic_fetch_add_explicit(&process.fork_number, 1, memory_order_relaxed);
}

/* A filter could kill the process for a call that it does not know (membarrier, a thread, a socket). */
bool root_seccomp_filter(void) {
    int saved = errno;
    char text[4096];
    ssize_t length = 0;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, text, sizeof text - 1);
        close(fd);
    }
    text[length > 0 ? length : 0] = 0;
    const char *line = strstr(text, "\nSeccomp:");
    errno = saved;
    return line && line[sizeof "\nSeccomp:"] == '2';
}

struct root *root_peek(void) {
    struct root *r = atomic_load_explicit(&root, memory_order_acquire);
    return r && r->fork == atomic_load_explicit(&process.fork_number, memory_order_relaxed) ? r : NULL;
}

static struct root *root_make(struct root *previous) {
    size_t pool = (size_t)options.max_keys.number * sizeof(struct key);
    size_t head = (sizeof(struct root) + 63) & ~(size_t)63;
    struct root *r = root_pages(head + pool);
    if (!r)
        return NULL;
    r->fork = atomic_load(&process.fork_number);
    r->previous = previous;
    r->keys = (struct key *)((char *)r + head);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    r->started = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    pthread_mutex_init(&r->lock, NULL);
    pthread_mutex_init(&r->sweep, NULL);
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_mutex_init(&r->shards[i].lock, NULL);
    return r;
}

struct root *root_get(void) {
    struct root *current = root_peek();
    if (likely(current))
        return current;
    struct root *old = atomic_load(&root);
    struct root *made = root_make(old);
    if (!made)
        return NULL;
    biased_lock_init(!root_seccomp_filter());
    if (!atomic_compare_exchange_strong(&root, &old, made)) {
        root_pages_free(made, (size_t)((char *)(made->keys + options.max_keys.number) - (char *)made));
        return root_peek();
    }
    if (made->previous)
        memset(&counters_shared, 0, sizeof counters_shared); /* the parent's counts are the parent's */
    return made;
}

/* Held by a process id, not by a mutex: a child forked while another thread loads must not wait for that thread. */
static _Atomic pid_t loader;

static void loader_enter(void) {
    pid_t self = getpid(), holder = 0;
    while (!atomic_compare_exchange_strong(&loader, &holder, self)) {
        if (holder == self) {
            sched_yield();
            holder = 0;
        } /* else it is a parent's: take it over */
    }
}

/* Several threads may come here at once, and a constructor before ours. */
enum mode root_load(void) {
    static bool loaded;
    loader_enter();
    if (!loaded) {
        options_load();
        secret_init();
        pthread_atfork(before_fork, after_fork, forked);
        loaded = true;
    }
    if (process.mode == MODE_UNKNOWN && real_resolve()) {
        int mode = option(&options.engine) == ENGINE_OFF ? MODE_OFF : MODE_COLD;
        atomic_store(&nss_version, real.NSS_GetVersion ? real.NSS_GetVersion() : "before 3.13");
        atomic_store_explicit(&process.mode, options_select_program() ? mode : MODE_INERT, memory_order_release);
    }
    atomic_store(&loader, 0);
    return (enum mode)atomic_load(&process.mode);
}

/* Runs with NSS's init lock held, first in its shutdown. From here on everything passes through, since callbacks
 * after ours may still use crypto. */
static SECStatus shutdown_callback(void *arg, void *nss_data) {
    (void)arg;
    (void)nss_data;
    atomic_store(&process.mode, MODE_DOWN);
    atomic_store(&registered, false);
    for (unsigned i = 0; i < 4; i++)
        atomic_store(&process.accepted[i / 2][i % 2], 0);
    root_slots_changed();
    cache_shutdown();
    return SECSuccess;
}

/* Registering takes NSS's init lock: never while a shutdown, which holds it, may be calling us back. */
static void register_and_go_up(void) {
    if (atomic_load(&process.shutdowns) || atomic_exchange(&registered, true))
        return;
    struct nss_error error = nss_error_get();
    if (real.NSS_RegisterShutdown(shutdown_callback, NULL) == SECSuccess)
        atomic_store_explicit(&process.mode, option(&options.engine) == ENGINE_OFF ? MODE_OFF : MODE_UP,
                              memory_order_release);
    else
        atomic_store(&registered, false);
    nss_error_set(error);
}

static bool change_mode(int from, int to) {
    return atomic_compare_exchange_strong(&process.mode, &from, to);
}

/* A thread that was in the middle of a call can put something in once more: it goes with the next second's call. */
void root_apply_engine(void) {
    if (option(&options.engine) != ENGINE_OFF) {
        if (root_mode() == MODE_OFF)
            change_mode(MODE_OFF, atomic_load(&registered) ? MODE_UP : MODE_COLD);
        return;
    }
    if (!change_mode(MODE_UP, MODE_OFF))
        change_mode(MODE_COLD, MODE_OFF);
    if (root_mode() == MODE_OFF && atomic_load(&registered))
        cache_empty();
}

void root_distrust(void) {
    atomic_store(&options.engine.number, ENGINE_OFF);
    change_mode(MODE_UP, MODE_OFF);
}

bool root_bring_up(void) {
    if (root_mode() == MODE_COLD && real.NSS_IsInitialized && real.NSS_IsInitialized())
        register_and_go_up();
    return atomic_load(&process.mode) == MODE_UP;
}

void root_nss_initialised(void) {
    enum mode mode = root_mode();
    root_slots_changed();
    if (mode == MODE_DOWN || mode == MODE_COLD)
        register_and_go_up();
}
