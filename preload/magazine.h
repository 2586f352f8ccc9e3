/* magazine.h - what one thread keeps at hand, so that a hit touches nothing that another core writes.
 *
 * A magazine has lines (a cached key, real references to it taken beforehand, idle engines for it), slots (with
 * references) and the thread's counters. It is type-stable and reached by one pointer in TLS. The owner enters by
 * trying its lock once; a sweeper can empty any magazine, also that of a thread that sleeps. At thread exit the
 * magazine becomes an orphan that the next new thread takes over as it is.
 *
 * Under a magazine's lock only leaf functions of NSS run: PK11_Reference..., PK11_GetSlotSeries, PR_Get/SetError. What
 * has to be freed is put into a haul and disposed of after the lock was left. */
#ifndef PK11CACHE_MAGAZINE_H
#define PK11CACHE_MAGAZINE_H

#include "preload/key.h"
#include "preload/record.h"
#include "preload/root.h"
#include "preload/thread.h"
#include "stats/counters.h"

enum {
    LINES = 64,
    WAYS = 4,
    VALUE_SETS = 64,
    CREDITS_MAX = 16,
    IDLE_MAX = 8, /* idle engines of a kind that a line keeps */
    SLOTS = 4,
    MECHANISMS = 16,
    SEEN = 256,
};

struct line {
    const void *id; /* NULL: empty */
    struct key *key;
    uint64_t hash;
    unsigned references; /* real references to the PK11SymKey that this line owns; at least one */
    bool used;           /* since the last tick */
    uint8_t ticks;
    uint8_t idle_count[3];
    struct record *idle[3]; /* stream encrypt, stream decrypt, reset: stacks */
};

struct slot_line {
    PK11SlotInfo *slot;
    int series;
    unsigned references;
};

struct magazine {
    struct biased_lock lock;
    unsigned fork;
    struct root *root;
    struct experiment_thread *experiment; /* what its thread measures (stats/experiment.h) */
    struct magazine *next;                /* in root->magazines: never unlinked */
    struct magazine *next_orphan;
    _Atomic unsigned lines_used;
    _Atomic bool orphan; /* its thread has ended */
    unsigned slot_epoch;
    uint8_t victim;
    struct {
        CK_MECHANISM_TYPE type;
        struct slot_line *slot;
    } mechanisms[MECHANISMS];
    struct slot_line slots[SLOTS];
    uint8_t by_value[VALUE_SETS][WAYS]; /* 1 + line number */
    const void *seen[SEEN];             /* keys of which one context was made: a ring */
    unsigned seen_next;
    struct line lines[LINES];
    struct counters counters __attribute__((aligned(64)));
} __attribute__((aligned(64)));

/* The lock as the owner: NULL when it is busy, or when the thread has no magazine and can't have one (*why says). */
enum magazine_refusal { MAGAZINE_BUSY, MAGAZINE_THREAD_END, MAGAZINE_MEMORY };
struct magazine *magazine_attach(enum magazine_refusal *why);

struct entered {
    struct magazine *magazine; /* NULL: not entered */
    bool owner;
    enum magazine_refusal why;
};

static inline struct magazine *magazine_mine(void) {
    struct magazine *m = thread_self.magazine;
    return likely(m && m->fork == atomic_load_explicit(&process.fork_number, memory_order_relaxed)) ? m : NULL;
}

static inline struct entered magazine_enter(void) {
    struct entered in = {magazine_mine(), false, MAGAZINE_BUSY};
    if (unlikely(!in.magazine) && !(in.magazine = magazine_attach(&in.why)))
        return in;
    if (unlikely(!biased_lock_try(&in.magazine->lock, &in.owner)))
        in.magazine = NULL;
    return in;
}

static inline void magazine_leave(struct entered in) {
    biased_lock_leave(&in.magazine->lock, in.owner);
}

/* The counters of this thread, or NULL for the shared block. */
static inline struct counters *magazine_counters(void) {
    struct magazine *m = magazine_mine();
    return m ? &m->counters : NULL;
}

/* All magazines of this process, dead threads' too. */
struct magazine *magazine_first(void);

static inline unsigned magazine_set(const void *id) {
    return (unsigned)(((uintptr_t)id * UINT64_C(0x9e3779b97f4a7c15)) >> 60); /* LINES / WAYS = 16 */
}

/* The line of a key, or NULL. Inside the lock. */
static inline struct line *magazine_line(struct magazine *m, const void *id) {
    struct line *line = &m->lines[magazine_set(id) * WAYS];
    for (unsigned way = 0; way < WAYS; way++, line++)
        if (line->id == id)
            return line;
    return NULL;
}

/* What was taken out of magazines and tables and is now to be given back to NSS. */
struct haul {
    struct record *records;
    struct {
        struct key *key;
        unsigned references, holds;
    } keys[LINES + 1];
    unsigned keys_count;
    struct slot_line slots[SLOTS];
};

void haul_record(struct haul *haul, struct record *record);
void haul_records(struct haul *haul, struct record *list);

/* Inside the lock: a line for `key`, with `references` to its PK11SymKey and one hold, both handed over. When there is
 * a line already the references go to it and the hold to the haul; a line that has to make room goes to the haul. */
struct line *magazine_put_line(struct magazine *m, struct key *key, unsigned references, struct haul *haul);
void magazine_take_line(struct magazine *m, struct line *line, struct haul *haul);
void magazine_take_slots(struct magazine *m, struct haul *haul);

#endif
