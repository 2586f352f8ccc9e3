/* record.h - the records behind handles, and the engines that they hold.
 *
 * A record is an engine (a real PK11Context that is kept alive) with the state of the message that it serves now.
 * Records are type-stable: never unmapped, found by index, so that a stale handle can always be looked at. A handle is
 *     bits 63..55 ones | 31 bits of generation | 20 bits of index | 4 zero bits
 * which is in the kernel's half of the address space on x86-64 and arm64: it can be no PK11Context of NSS's. The record
 * holds the live generation; a handle that does not match it was destroyed. */
#ifndef PK11CACHE_RECORD_H
#define PK11CACHE_RECORD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/biased_lock.h"
#include "preload/root.h"
#include "preload/thread.h"

enum { PARAM_MAX = 63, BLOCK = 16 };
enum engine_kind { ENGINE_KIND_STREAM, ENGINE_KIND_RESET };
enum record_state { RECORD_FREE, RECORD_IDLE, RECORD_LIVE, RECORD_PARKED };

struct record {
    struct biased_lock lock; /* rank 2: guards the message; held over real calls that can't call the program */
    _Atomic uint8_t state;   /* enum record_state */
    uint8_t kind;            /* enum engine_kind */
    uint8_t operation_class; /* enum operation_class */
    _Atomic uint32_t live;   /* generation of the handle that is out, 0 when none is */
    uint32_t generation, index;
    _Atomic unsigned fork;
    _Atomic(struct magazine *) owner;
    PK11Context *engine;
    PK11Context *shadow; /* a real context that computes the same message (preload/verify.h), or NULL */
    PK11Context *direct; /* calls go to this context: the reset engine's own, or the one that materialised */
    struct key *key;
    struct record *next;
    /* the message */
    bool decrypt, padded;
    bool init;        /* PK11Context's own flag: a begin is not due */
    bool active;      /* the operation is not ended */
    bool fold;        /* the next block has to be folded: logical differs from chain */
    bool consumed;    /* a block of the message went through the engine */
    bool has_final;   /* final holds the padding's cipher block, or the held-back block's plain text */
    bool rebased;     /* direct was made with the chain, not the caller's parameter, as its IV */
    bool dirty;       /* a pooled context that needs its final before the next begin */
    uint8_t unproven; /* messages that are to be verified until one was: then 0 */
    bool tainted;     /* ... or that must not be pooled again */
    uint8_t buffered;
    uint8_t param_len;
    uint8_t chain[BLOCK];   /* what the engine chains on: the last cipher block that it saw */
    uint8_t logical[BLOCK]; /* what the message chains on; decrypting with padding: before the held-back block */
    uint8_t buffer[BLOCK];  /* plain bytes that wait for a block; decrypting: the held-back cipher block */
    uint8_t final[BLOCK];
    uint8_t param[PARAM_MAX + 1]; /* the caller's parameter; a reset engine's identity */
    CK_MECHANISM_TYPE mechanism;
    CK_ATTRIBUTE_TYPE operation;
} __attribute__((aligned(64)));

/* A fresh record, or NULL at max_engines or without memory. Its engine is the caller's to make. Takes root->lock. */
struct record *record_new(struct root *root);
/* Give back a record whose engine is gone. */
void record_free(struct root *root, struct record *record);
enum { RECORD_CHUNK = 1024, RECORD_CHUNKS = 1024, INDEX_BITS = 20, GENERATION_BITS = 31 };
extern _Atomic(struct record *) record_chunks[RECORD_CHUNKS];

/* The record of an index below 2^20, whether it was ever used or not (then it is all zeros); NULL beyond those that
 * there are. */
static inline struct record *record_at(uint32_t index) {
    struct record *chunk = atomic_load_explicit(&record_chunks[index / RECORD_CHUNK], memory_order_acquire);
    return likely(chunk) ? &chunk[index % RECORD_CHUNK] : NULL;
}

static inline bool record_is_handle(const PK11Context *context) {
    return (uintptr_t)context >> 55 == 0x1ff;
}

/* Give the record out: the caller holds it exclusively, as the owner `magazine`. */
PK11Context *record_give(struct record *record, struct magazine *magazine);

static inline uint32_t record_index(const PK11Context *handle) {
    return (uint32_t)((uintptr_t)handle >> 4) & ((1u << INDEX_BITS) - 1);
}
static inline uint32_t record_generation(const PK11Context *handle) {
    return (uint32_t)((uintptr_t)handle >> (INDEX_BITS + 4)) & ((1u << GENERATION_BITS) - 1);
}

/* A handle of another thread, of the parent's, or a stale one (counted, NULL). */
struct record *record_enter_slow(const PK11Context *handle, bool *owner) __attribute__((noinline, cold));

/* Lock the record of a live handle. NULL (counted) for a stale one. *owner is for record_leave. */
static inline __attribute__((always_inline)) struct record *record_enter(const PK11Context *handle, bool *owner) {
    struct record *record = record_at(record_index(handle));
    struct magazine *mine = thread_self.magazine;
    if (unlikely(!record || !mine || atomic_load_explicit(&record->owner, memory_order_relaxed) != mine ||
                 atomic_load_explicit(&record->fork, memory_order_relaxed) !=
                     atomic_load_explicit(&process.fork_number, memory_order_relaxed)))
        return record_enter_slow(handle, owner);
    *owner = biased_lock_enter_owner(&record->lock);
    /* generation 0 is no handle's, though it matches a record that is not given out */
    uint32_t live = atomic_load_explicit(&record->live, memory_order_acquire);
    if (likely(live && live == record_generation(handle)))
        return record;
    biased_lock_leave(&record->lock, *owner);
    return record_enter_slow(handle, owner);
}

static inline void record_leave(struct record *record, bool owner) {
    biased_lock_leave(&record->lock, owner);
}

#endif
