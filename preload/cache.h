/* cache.h - what the hooks ask of the cache. Any thread; never inside a lock of ours; the guard is not set.
 *
 * Each look-up counts its call and exactly one of hit, miss or bypass. What the cache can't do is done by NSS. */
#ifndef PK11CACHE_CACHE_H
#define PK11CACHE_CACHE_H

#include "preload/engine.h"
#include "preload/magazine.h"

/* PK11_GetBestSlot, PK11_ImportSymKey: a reference that the caller owns, or what NSS answered. */
PK11SlotInfo *cache_best_slot(CK_MECHANISM_TYPE mechanism, void *wincx);
PK11SymKey *cache_import(const struct identity *identity, SECItem *data);

/* PK11_FreeSlot, PK11_FreeSymKey: true when the reference was taken back, false when NSS must free it. */
bool cache_take_slot(PK11SlotInfo *slot);
bool cache_take_key(PK11SymKey *key);

/* PK11_CreateContextBySymKey, PK11_CreateDigestContext: a handle, or what NSS answered. */
PK11Context *cache_create(struct request *request);

/* Destroy a handle: its engine goes back to the thread, the depot or NSS. */
void cache_destroy(PK11Context *handle);

/* The program gets at a key: it leaves the cache, with all references, before this returns. */
void cache_forget(PK11SymKey *key);

/* Destroy all idle objects of all threads, now. */
void cache_flush(void);
/* The same while the engine is off; quick when there is nothing left. */
void cache_empty(void);
/* One tick of housekeeping: what was not used for two ticks is destroyed. */
void cache_age(void);
/* The token was restarted: nothing cached may be used or freed any more while its module runs. */
void cache_stale(void);
/* Is this key parked? Then its object number may be a cached key's by now: all idle objects are destroyed first, so
 * that NSS answers as it would without the cache. */
bool cache_is_parked(struct root *root, const PK11SymKey *sym);
/* In NSS's shutdown callback: give everything back that no live handle holds, parked objects and the parent's too. */
void cache_shutdown(void);

/* Start the helper thread that ages the cache, once, if that is allowed here. */
void housekeeper_start(struct root *root);
/* At the process's exit: no more ageing, the stats socket goes, and what is under way is waited for, with a bound. */
void housekeeper_stop(void);

/* Give a haul back to NSS; `counter` is what the engines count as. Parked instead, when stale. */
enum reason {
    REASON_IDLE,
    REASON_CAPACITY,
    REASON_FLUSH,
    REASON_SHUTDOWN,
    REASON_FORK,
    REASON_THREAD_EXIT,
    REASON_STALE,
    REASON_FORGOTTEN,
    REASON_ERROR
};
void cache_dispose(struct root *root, struct haul *haul, enum reason reason);
void cache_drop_engine(struct root *root, struct record *record, enum reason reason);

/* A thread could not enter its magazine: count why. */
void cache_count_refusal(struct counters *counters, enum magazine_refusal why);

/* Is this the internal token, without a login? Only such a token is cached. */
bool cache_token(PK11SlotInfo *slot);

bool root_seccomp_filter(void);

#endif
