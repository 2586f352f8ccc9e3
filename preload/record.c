#include "preload/record.h"
#include "preload/options.h"
#include "preload/magazine.h"

_Atomic(struct record *) record_chunks[RECORD_CHUNKS];
static _Atomic uint32_t top; /* indices given so far, in all forks of this address space */

static struct record *record_beyond(void) {
    uint32_t index = atomic_load(&top);
    do {
        if (index >= (uint32_t)RECORD_CHUNK * RECORD_CHUNKS)
            return NULL;
    } while (!atomic_compare_exchange_weak(&top, &index, index + 1));
    _Atomic(struct record *) *chunk = &record_chunks[index / RECORD_CHUNK];
    if (!atomic_load(chunk)) {
        struct record *made = root_pages(RECORD_CHUNK * sizeof *made), *none = NULL;
        if (made && !atomic_compare_exchange_strong(chunk, &none, made))
            root_pages_free(made, RECORD_CHUNK * sizeof *made);
    }
    struct record *record = record_at(index);
    if (record)
        record->index = index;
    return record;
}

struct record *record_new(struct root *root) {
    unsigned before = atomic_fetch_add(&root->engines_live, 1);
    if (before >= (unsigned)option(&options.max_engines)) {
        atomic_fetch_sub(&root->engines_live, 1);
        return NULL;
    }
    root_raise(&root->engines_most, before + 1);
    pthread_mutex_lock(&root->lock);
    struct record *record = root->free_records;
    if (record)
        root->free_records = record->next;
    pthread_mutex_unlock(&root->lock);
    if (!record)
        record = record_beyond();
    if (!record) {
        atomic_fetch_sub(&root->engines_live, 1);
        return NULL;
    }
    atomic_store(&record->fork, root->fork);
    record->next = NULL;
    return record;
}

void record_free(struct root *root, struct record *record) {
    record->engine = record->direct = NULL;
    record->key = NULL;
    atomic_store(&record->state, RECORD_FREE);
    if (atomic_load(&record->fork) != root->fork)
        return; /* a record of the parent's: its index is not used again here */
    atomic_fetch_sub(&root->engines_live, 1);
    pthread_mutex_lock(&root->lock);
    record->next = root->free_records;
    root->free_records = record;
    pthread_mutex_unlock(&root->lock);
}

/* In the child of a fork: nobody else can hold the lock any more, whatever it says. */
static void adopt_from_parent(struct record *record, unsigned now) {
    unsigned then = atomic_load(&record->fork);
    if (then == now)
        return;
    struct root *root = root_get();
    if (!root)
        return;
    pthread_mutex_lock(&root->lock);
    if (record->lock.shared != BIAS_SHARED || record->owner) {
        atomic_store(&record->owner, NULL);
        atomic_store(&record->lock.busy, 0);
        atomic_store(&record->lock.taken, 0);
        atomic_store(&record->lock.shared, BIAS_SHARED);
    }
    pthread_mutex_unlock(&root->lock);
}

PK11Context *record_give(struct record *record, struct magazine *magazine) {
    uint32_t generation = (record->generation + 1) & ((1u << GENERATION_BITS) - 1);
    record->generation = generation = generation ? generation : 1;
    atomic_store_explicit(&record->state, RECORD_LIVE, memory_order_relaxed);
    atomic_store_explicit(&record->owner, magazine, memory_order_relaxed);
    biased_lock_reset(&record->lock);
    atomic_store_explicit(&record->live, generation, memory_order_release);
    return (PK11Context *)((uintptr_t)0x1ff << 55 | (uintptr_t)generation << (INDEX_BITS + 4) |
                           (uintptr_t)record->index << 4);
}

struct record *record_enter_slow(const PK11Context *handle, bool *owner) {
    uint32_t generation = record_generation(handle);
    struct record *record = record_at(record_index(handle));
    if (!record || !generation || atomic_load_explicit(&record->live, memory_order_acquire) != generation)
        goto stale;
    adopt_from_parent(record, atomic_load_explicit(&process.fork_number, memory_order_relaxed));
    struct magazine *mine = thread_self.magazine;
    if (mine && atomic_load_explicit(&record->owner, memory_order_relaxed) == mine)
        *owner = biased_lock_enter_owner(&record->lock);
    else
        *owner = biased_lock_enter_foreign(&record->lock);
    if (atomic_load_explicit(&record->live, memory_order_acquire) == generation)
        return record;
    record_leave(record, *owner);
stale:
    COUNT(magazine_counters(), stale_handles);
    return NULL;
}
