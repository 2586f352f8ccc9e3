/* Emptying magazines and tables: flush, age, forget, stale, shutdown.
 *
 * Things are taken out under locks and given back to NSS after the locks were left, since giving back can run the
 * program's own code. `disposing` counts those who are between the two, so that a shutdown can wait for them. */
#include "preload/cache.h"
#include "stats/outcome.h"

#include <errno.h>
#include <string.h>
#include <time.h>

typedef bool (*line_test)(struct line *line, const void *arg);

static void pause_briefly(void) {
    int saved = errno;
    nanosleep(&(struct timespec){0, 50000}, NULL);
    errno = saved;
}

static counter *engine_counter(struct counters *c, enum reason reason) {
    switch (reason) {
    case REASON_IDLE:
        return &c->engines_idle;
    case REASON_CAPACITY:
        return &c->engines_capacity;
    case REASON_FLUSH:
        return &c->engines_flush;
    case REASON_SHUTDOWN:
        return &c->engines_shutdown;
    case REASON_FORK:
        return &c->engines_fork;
    case REASON_THREAD_EXIT:
        return &c->engines_thread_exit;
    case REASON_STALE:
        return &c->engines_stale;
    case REASON_FORGOTTEN:
        return &c->engines_forgotten;
    case REASON_ERROR:
        break;
    }
    return &c->engines_error;
}

void cache_drop_engine(struct root *root, struct record *record, enum reason reason) {
    struct counters *c = magazine_counters();
    PROBE1(evict, reason);
    if (c)
        counter_add_own(engine_counter(c, reason), 1);
    else
        atomic_fetch_add(engine_counter(&counters_shared, reason), 1);
    if (reason == REASON_STALE)
        atomic_store(&record->state, RECORD_PARKED);
    else
        engine_destroy(root, record);
}

static void free_references(struct key *key, unsigned references) {
    guard_enter();
    for (unsigned i = 0; key->sym && i < references; i++)
        real.PK11_FreeSymKey(key->sym);
    guard_leave();
}

/* Was a key ever parked since the last shutdown? */
static _Atomic bool any_parked;

static void dispose_key(struct root *root, struct key *key, unsigned references, enum reason reason) {
    if (reason == REASON_STALE && key->sym && references) {
        atomic_store(&any_parked, true);
        /* parked: the references and one hold stay until the shutdown */
        if (atomic_fetch_add(&key->parked, references) == 0)
            return;
    } else {
        free_references(key, references);
    }
    key_release(root, key);
}

void cache_dispose(struct root *root, struct haul *haul, enum reason reason) {
    if (!haul->records && !haul->keys_count && !haul->slots[0].slot)
        return;
    struct nss_error error = nss_error_get();
    atomic_fetch_add(&root->disposing, 1);
    for (struct record *record = haul->records, *next; record; record = next) {
        next = record->next;
        /* What one thread has too many of, another may want. */
        if (reason != REASON_CAPACITY || !key_depot_give(root, record->key, record, DEPOT_MAX))
            cache_drop_engine(root, record, reason);
    }
    for (unsigned i = 0; i < haul->keys_count; i++)
        dispose_key(root, haul->keys[i].key, haul->keys[i].references, reason);
    guard_enter();
    for (unsigned i = 0; i < SLOTS; i++)
        for (unsigned n = 0; haul->slots[i].slot && n < haul->slots[i].references; n++)
            real.PK11_FreeSlot(haul->slots[i].slot);
    guard_leave();
    atomic_fetch_sub(&root->disposing, 1);
    nss_error_set(error);
}

/* Lock a magazine that may be another thread's. Its owner is inside for less than a microsecond, unless it was
 * preempted. */
static bool seize(struct magazine *m, unsigned tries) {
    biased_lock_announce(&m->lock);
    biased_lock_barrier();
    for (unsigned i = 0; i < tries; i++) {
        if (biased_lock_seize(&m->lock))
            return true;
        if (i > 8)
            pause_briefly();
    }
    biased_lock_release(&m->lock, false);
    return false;
}

static void sweep_magazine(struct root *root, struct magazine *m, line_test test, const void *arg, bool slots,
                           enum reason reason) {
    struct haul haul = {0};
    pthread_mutex_lock(&root->sweep);
    if (seize(m, 2000)) {
        for (unsigned i = 0; i < LINES; i++)
            if (m->lines[i].id && test(&m->lines[i], arg))
                magazine_take_line(m, &m->lines[i], &haul);
        if (slots)
            magazine_take_slots(m, &haul);
        biased_lock_release(&m->lock, true);
    }
    pthread_mutex_unlock(&root->sweep);
    if (reason == REASON_IDLE && atomic_load_explicit(&m->orphan, memory_order_relaxed))
        reason = REASON_THREAD_EXIT;
    cache_dispose(root, &haul, reason);
}

static void sweep_magazines(struct root *root, line_test test, const void *arg, bool slots, enum reason reason) {
    for (struct magazine *m = atomic_load(&root->magazines); m; m = m->next)
        if (slots || atomic_load_explicit(&m->lines_used, memory_order_relaxed))
            sweep_magazine(root, m, test, arg, slots, reason);
}

/* Take a key out of the table and give the table's reference and the depot back. */
static void remove_key(struct root *root, struct key *key, enum reason reason) {
    struct haul haul = {0};
    if (!key_remove(root, key))
        return;
    COUNT(magazine_counters(), keys_gone);
    haul_records(&haul, key_depot_take_all(root, key));
    haul.keys[0].key = key;
    haul.keys[0].references = 1;
    haul.keys[0].holds = 1;
    haul.keys_count = 1;
    cache_dispose(root, &haul, reason);
}

static bool every_line(struct line *line, const void *arg) {
    (void)line;
    (void)arg;
    return true;
}
static bool line_of(struct line *line, const void *arg) {
    return line->id == arg;
}

static bool line_idle(struct line *line, const void *arg) {
    (void)arg;
    line->ticks = line->used ? 0 : (uint8_t)(line->ticks + 1);
    line->used = false;
    if (line->ticks)
        line->key->idle_ticks = 1; /* as long as its last line was: it goes in this tick if no other thread uses it */
    return line->ticks > 0;
}

/* The keys that pass the test leave the table. They are held meanwhile: a struct key may be another one's at any other
 * time. */
static void remove_keys(struct root *root, bool (*test)(struct key *), enum reason reason) {
    struct key *found[64];
    for (unsigned shard = 0; shard < SHARDS; shard++) {
        unsigned count;
        do {
            count = key_collect(root, shard, test, found, 64);
            for (unsigned i = 0; i < count; i++) {
                remove_key(root, found[i], reason);
                key_release(root, found[i]);
            }
        } while (count == 64);
    }
}

static bool every_key(struct key *key) {
    (void)key;
    return true;
}
static bool key_idle(struct key *key) {
    if (atomic_load(&key->lines)) {
        key->idle_ticks = 0;
        return false;
    }
    return ++key->idle_ticks > 1;
}

static void empty(struct root *root, bool slots, enum reason reason) {
    remove_keys(root, every_key, reason); /* first: nobody can find them any more */
    sweep_magazines(root, every_line, NULL, slots, reason);
}

void cache_flush(void) {
    struct root *root = root_peek();
    if (!root || (root_mode() != MODE_UP && root_mode() != MODE_OFF))
        return;
    COUNT(magazine_counters(), flushes);
    empty(root, true, REASON_FLUSH);
}

void cache_empty(void) {
    struct root *root = root_peek();
    if (root && (atomic_load(&root->keys_live) || atomic_load(&root->engines_live)))
        empty(root, true, REASON_FLUSH);
}

void cache_age(void) {
    struct root *root = root_peek();
    if (!root || root_mode() != MODE_UP)
        return;
    sweep_magazines(root, line_idle, NULL, false, REASON_IDLE);
    remove_keys(root, key_idle, REASON_IDLE);
}

static bool key_stale(struct key *key) {
    return real.PK11_GetSlotSeries(key->identity.slot) != key->series;
}
static bool line_stale(struct line *line, const void *arg) {
    (void)arg;
    return key_stale(line->key);
}

bool cache_is_parked(struct root *root, const PK11SymKey *sym) {
    if (!atomic_load_explicit(&any_parked, memory_order_relaxed))
        return false;
    for (struct root *r = root; r; r = r->previous)
        for (unsigned i = 0; i < r->keys_touched; i++)
            if (r->keys[i].sym == sym && atomic_load(&r->keys[i].parked)) {
                cache_flush();
                return true;
            }
    return false;
}

void cache_stale(void) {
    struct root *root = root_peek();
    if (!root)
        return;
    root_slots_changed();
    remove_keys(root, key_stale,
                REASON_STALE); /* what was made since the restart is not stale, and is destroyed in its time */
    sweep_magazines(root, line_stale, NULL, false, REASON_STALE);
}

static void forget_here(struct root *root, const void *id) {
    struct haul haul = {0};
    struct entered in = magazine_enter();
    if (!in.magazine)
        return;
    struct line *line = magazine_line(in.magazine, id);
    if (line)
        magazine_take_line(in.magazine, line, &haul);
    magazine_leave(in);
    cache_dispose(root, &haul, REASON_FORGOTTEN);
}

void cache_forget(PK11SymKey *sym) {
    struct root *root = root_peek();
    if (!root || !root_keys_live())
        return;
    struct key *key = key_find_id(root, sym, 0);
    if (!key)
        return;
    remove_key(root, key, REASON_FORGOTTEN);
    forget_here(root, sym);
    if (atomic_load(&key->lines)) /* mostly no other thread had it */
        sweep_magazines(root, line_of, sym, false, REASON_FORGOTTEN);
    key_release(root, key);
}

/* Idle and parked engines of this process; in a child, also what the parent had. Live handles keep theirs. */
static void shutdown_engines(struct root *root) {
    for (uint32_t i = 0; i < RECORD_CHUNK * RECORD_CHUNKS; i++) {
        struct record *record = record_at(i);
        if (!record)
            break;
        int state = atomic_load(&record->state);
        bool inherited = atomic_load(&record->fork) != root->fork;
        if (record->engine && (state == RECORD_PARKED || (state == RECORD_IDLE && inherited)))
            cache_drop_engine(root, record, REASON_SHUTDOWN);
    }
}

static void shutdown_parked(struct root *root) {
    for (unsigned i = 0; i < root->keys_touched; i++) {
        struct key *key = &root->keys[i];
        unsigned references = atomic_exchange(&key->parked, 0);
        if (references) {
            free_references(key, references);
            key_release(root, key);
        }
    }
}

/* What a parent's magazines and table held. Each count is a word that was written after the reference was taken and
 * before it was given away, so that a fork at any moment can only have lost one, never freed one twice. */
static void shutdown_inherited(struct root *old) {
    for (; old; old = old->previous) {
        for (struct magazine *m = atomic_load(&old->magazines); m; m = m->next) {
            for (unsigned i = 0; i < LINES; i++)
                if (m->lines[i].id)
                    free_references(m->lines[i].key, m->lines[i].references);
            struct haul haul = {0};
            memset(m->lines, 0, sizeof m->lines);
            magazine_take_slots(m, &haul);
            cache_dispose(old, &haul, REASON_SHUTDOWN);
        }
        for (unsigned i = 0; i < old->keys_touched; i++) {
            struct key *key = &old->keys[i];
            free_references(key, atomic_exchange(&key->parked, 0) + (atomic_exchange(&key->in_table, false) ? 1u : 0u));
        }
    }
}

void cache_shutdown(void) {
    struct root *root = root_get(); /* in a child: made now, so that the parent's can be walked */
    if (!root)
        return;
    for (unsigned i = 0; atomic_load(&root->disposing) && i < 40000; i++)
        pause_briefly(); /* two seconds at most */
    empty(root, true, REASON_SHUTDOWN);
    shutdown_engines(root);
    shutdown_parked(root);
    shutdown_inherited(root->previous);
    root->previous = NULL;
    atomic_store(&any_parked, false);
}
