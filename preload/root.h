/* root.h - what the process has one of: its mode, its fork number, and the root of everything cached.
 *
 * The read-mostly words live on one cache line that is written only at init, shutdown, fork or when slots change.
 * After a fork the child starts with a fresh root and never touches a lock of the old one; the old roots stay reachable
 * so that what they hold can be given back when the child shuts NSS down. */
#ifndef PK11CACHE_ROOT_H
#define PK11CACHE_ROOT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/biased_lock.h"
#include "preload/real.h"
#include "stats/sample.h"

enum mode {
    MODE_UNKNOWN, /* nothing has been loaded yet */
    MODE_INERT,   /* PK11CACHE_ONLY names other programs: pass through, count nothing */
    MODE_OFF,     /* the engine option is off: pass through and count */
    MODE_COLD,    /* ready; NSS was not seen initialised yet */
    MODE_UP,      /* caching */
    MODE_DOWN,    /* NSS was shut down: pass through until it is initialised again */
};

struct process {
    _Atomic int mode;
    _Atomic unsigned fork_number;
    _Atomic unsigned slot_epoch; /* grows when the best slot may have changed */
    _Atomic int shutdowns;       /* calls of NSS_Shutdown that run now */
    _Atomic unsigned experiment; /* the number of the A/B experiment that runs now; 0 none */
    /* Lengths of CBC parameters that NSS was seen to accept: bit n, by [padded][decrypt]. */
    _Atomic uint64_t accepted[2][2];
} __attribute__((aligned(64)));

extern struct process process;

enum { SHARDS = 16 };

struct shard {
    pthread_mutex_t lock; /* rank 3: below it only malloc (uthash) and PK11_Reference... (plain counts) */
    struct key *by_value;
    struct key *by_id;
};

struct root {
    unsigned fork;
    struct root *previous;
    pthread_mutex_t lock;  /* rank 4: orphans, free keys, free records. Nothing is called under it. */
    pthread_mutex_t sweep; /* rank 1: one sweeper at a time */
    _Atomic(struct magazine *) magazines;
    struct magazine *orphans;
    struct record *free_records;
    struct key *keys; /* a pool of options.max_keys, never unmapped */
    struct key *free_keys;
    unsigned keys_touched;
    _Atomic unsigned keys_live, engines_live, keys_most, engines_most, handles_most;
    double started;                /* seconds of CLOCK_MONOTONIC */
    struct snapshot *baseline;     /* what the last `reset` saw; the helper's */
    _Atomic(struct sites *) sites; /* made by the helper */
    struct sites_rate {
        _Atomic uint64_t window;  /* second << 32 | call stacks wanted in it */
        _Atomic uint64_t skipped; /* since the last one that was taken */
    } sites_rate[2];              /* of misses and bypasses; of hits, which must not crowd them out */
    _Atomic(struct experiment_thread *) experiment_threads;
    struct latency latency;
    _Atomic int disposing;
    _Atomic bool helper_started;
    struct shard shards[SHARDS];
};

/* The root of this process, made on first use and after each fork. NULL: no memory, pass through. Any thread. */
struct root *root_get(void);
/* The root if there is one already, else NULL. */
struct root *root_peek(void);

/* Zeroed pages that are kept out of core dumps; NULL without memory. */
void *root_pages(size_t size);
void root_pages_free(void *pages, size_t size);

/* Bytes of all of them. */
uint64_t root_memory(void);

unsigned root_keys_live(void);
unsigned root_engines_live(void);
const char *root_nss_version(void);

/* Load options and real functions once, lazily: correct from the first instruction of any constructor. The mode after
 * it. */
enum mode root_load(void);

/* Make the mode what the engine option says: off empties the cache and passes every call through; handles that are out
 * go on. The helper thread, after each change and once a second, since the program may bring NSS up or down meanwhile.
 */
void root_apply_engine(void);

/* The helper thread goes in before it does what may call NSS, and out afterwards: no fork comes in between. */
void root_helper_enter(void);
void root_helper_leave(void);

/* Verify mode found a difference: no more hits from here on. The helper empties the cache. Any thread, any lock. */
void root_distrust(void);

/* Raise *most to `now`. */
static inline void root_raise(_Atomic unsigned *most, unsigned now) {
    unsigned seen = atomic_load_explicit(most, memory_order_relaxed);
    while (unlikely(now > seen) && !atomic_compare_exchange_weak(most, &seen, now)) {
    }
}

/* True when calls may be cached. Otherwise, where NSS turns out to be initialised, it brings the cache up. */
bool root_bring_up(void);

static inline enum mode root_mode(void) {
    int mode = atomic_load_explicit(&process.mode, memory_order_acquire);
    return likely(mode != MODE_UNKNOWN) ? (enum mode)mode : root_load();
}

/* After a successful NSS init; and for the shutdown callback. */
void root_nss_initialised(void);

/* The cached best slots are no longer to be trusted. */
static inline void root_slots_changed(void) {
    atomic_fetch_add(&process.slot_epoch, 1);
}

#endif
