/* Contexts: create takes an idle engine, destroy gives it back. */
#include "preload/cache.h"
#include "preload/verify.h"
#include "stats/outcome.h"

/* Three engines are made in a row and the second is used first: softoken's neighbouring sessions share a lock, and
 * whichever neighbour the second one has, it belongs to the same thread (pkcs11i.h, SFTK_SESSION_LOCK). */
enum { BATCH = 3, TAKE_MAX = 4 };

static inline unsigned kind_index(const struct request *q) {
    return q->kind == ENGINE_KIND_RESET ? 2 : q->decrypt ? 1 : 0;
}

static inline unsigned kind_of_record(const struct record *r) {
    return r->kind == ENGINE_KIND_RESET ? 2 : r->decrypt ? 1 : 0;
}

static inline const void *id_of(const struct request *q) {
    return q->sym ? q->sym : key_digest_id(q->digest);
}

static inline struct record *pop(struct line *line, const struct request *q) {
    unsigned kind = kind_index(q);
    struct record **link = &line->idle[kind], *record;
    while ((record = *link) && kind == 2 && !engine_fits(record, q))
        link = &record->next;
    if (record) {
        *link = record->next;
        line->idle_count[kind]--;
    }
    return record;
}

static inline void push(struct line *line, struct record *record) {
    unsigned kind = kind_of_record(record);
    atomic_store_explicit(&record->state, RECORD_IDLE, memory_order_relaxed);
    record->next = line->idle[kind];
    line->idle[kind] = record;
    line->idle_count[kind]++;
}

static inline bool still_valid(const struct key *key) {
    if (!key->sym && key->slot_epoch != atomic_load_explicit(&process.slot_epoch, memory_order_acquire))
        return false;
    return real.PK11_GetSlotSeries(key->identity.slot) == key->series;
}

/* PK11_CreateDigestContext asks for the best slot, which sets the error to 0 (pk11cxt.c, pk11slot.c). */
static inline void leave_error(const struct request *q) {
    if (!q->sym)
        real.PR_SetError(0, 0);
}

static inline unsigned long what(const struct request *q) {
    return q->sym ? q->mechanism : q->digest;
}

static PK11Context *hand_out(struct record *record, const struct request *q, struct magazine *m) {
    struct counters *c = m ? &m->counters : NULL;
    COUNT(c, handles_made);
    engine_begin(record, q);
    return record_give(record, m);
}

/* Making the second context is no leaf: it is done after the lock was left. */
static __attribute__((noinline, cold)) PK11Context *hand_out_verified(struct entered in, struct line *line,
                                                                      struct record *record, const struct request *q) {
    line->used = true;
    OUTCOME_HIT(&in.magazine->counters, create, SITE_CREATE, what(q), q->operation);
    magazine_leave(in);
    verify_begin(record, q);
    PK11Context *handle = hand_out(record, q, in.magazine);
    leave_error(q);
    return handle;
}

static PK11Context *ask(const struct request *q) {
    guard_enter();
    PK11Context *context = q->sym ? real.PK11_CreateContextBySymKey(q->mechanism, q->operation, q->sym, q->param)
                                  : real.PK11_CreateDigestContext(q->digest);
    guard_leave();
    return context;
}

/* A key that was not imported is often used for one context only: it waits for its second. No reference is held, so
 * that another key can have come to the same pointer; it is then taken in one context early. */
static bool seen_before(struct magazine *m, const void *id) {
    for (unsigned i = 0; i < SEEN; i++)
        if (m->seen[i] == id)
            return true;
    m->seen[m->seen_next++ % SEEN] = id;
    return false;
}

/* The key of a request, held and with one reference for a line; taken into the cache if it may be. */
static struct key *admit(struct root *root, struct magazine *m, const struct request *q, enum key_added *why) {
    *why = KEY_COLLIDES;
    /* The program counts on when a key with user data goes (its freeFunc); a parked key is stale. Neither is held. */
    if (q->sym && (real.PK11_GetSymKeyUserData(q->sym) || cache_is_parked(root, q->sym)))
        return NULL;
    if (q->sym && !seen_before(m, q->sym)) {
        *why = KEY_ADDED;
        return NULL;
    }
    struct nss_error error = nss_error_get();
    struct key fresh = {.id = id_of(q), .sym = q->sym, .slot_epoch = atomic_load(&process.slot_epoch)}, *key = NULL;
    guard_enter();
    PK11SlotInfo *slot =
        q->sym ? real.PK11_GetSlotFromKey(q->sym) : real.PK11_GetBestSlot(real.PK11_AlgtagToMechanism(q->digest), NULL);
    if (slot && cache_token(slot)) {
        fresh.identity.slot = slot;
        fresh.series = real.PK11_GetSlotSeries(slot);
        *why = key_add(root, &fresh, 1, &key);
    }
    if (slot)
        real.PK11_FreeSlot(slot); /* the key, or the module, keeps it */
    guard_leave();
    nss_error_set(error);
    if (!key)
        return NULL;
    COUNT(magazine_counters(), keys_made);
    housekeeper_start(root);
    return key;
}

/* Engines for this key that no thread holds; the first is returned, a few more go to the thread. */
static struct record *take_depot(struct root *root, struct key *key, const struct request *q, struct record **more) {
    struct record *first = key_depot_take(root, key, engine_fits, q);
    for (unsigned i = 1; first && i < TAKE_MAX; i++) {
        struct record *record = key_depot_take(root, key, engine_fits, q);
        if (!record)
            break;
        record->next = *more;
        *more = record;
    }
    return first;
}

/* Has NSS accepted this parameter, or does it now? It is asked with the caller's own. */
static bool parameter_accepted(const struct request *q, PK11Context **refused) {
    if (q->kind != ENGINE_KIND_STREAM || engine_accepted(q))
        return true;
    PK11Context *context = ask(q);
    *refused = NULL;
    if (!context)
        return false;
    guard_enter();
    real.PK11_DestroyContext(context, PR_TRUE);
    guard_leave();
    engine_note_accepted(q);
    return true;
}

static struct record *make(struct root *root, struct key *key, const struct request *q, struct record **more,
                           bool *bound) {
    struct record *made[BATCH];
    unsigned count = 0, wanted = q->kind == ENGINE_KIND_STREAM ? BATCH : 1;
    while (count < wanted && (made[count] = engine_make(root, key, q, bound)))
        count++;
    if (!count)
        return NULL;
    if (q->kind == ENGINE_KIND_STREAM && q->decrypt)
        engine_learn_bad_padding(q->sym);
    unsigned first = count > 1 ? 1 : 0;
    for (unsigned i = 0; i < count; i++)
        if (i != first) {
            made[i]->next = *more;
            *more = made[i];
        }
    return made[first];
}

/* Hand the engine out, and give the line and the other engines to this thread's magazine. */
static PK11Context *settle(struct root *root, struct key *key, struct record *record, struct record *more,
                           const struct request *q) {
    struct haul haul = {0};
    struct entered in = magazine_enter();
    PK11Context *handle = hand_out(record, q, magazine_mine());
    if (in.magazine) {
        struct line *line = magazine_put_line(in.magazine, key, q->sym ? 1 : 0, &haul);
        while (more) {
            struct record *next = more->next;
            if (line->idle_count[kind_of_record(more)] < IDLE_MAX)
                push(line, more);
            else
                haul_record(&haul, more);
            more = next;
        }
        magazine_leave(in);
    } else {
        haul_records(&haul, more);
        haul.keys[haul.keys_count].key = key;
        haul.keys[haul.keys_count].references = q->sym ? 1 : 0;
        haul.keys[haul.keys_count++].holds = 1;
    }
    cache_dispose(root, &haul, REASON_CAPACITY);
    return handle;
}

/* The key is not needed after all, nor the engines that were taken out for it. */
static void let_go(struct root *root, struct key *key, const struct request *q, struct record *record,
                   struct record *more) {
    struct haul haul = {0};
    haul_records(&haul, more);
    if (record)
        haul_record(&haul, record);
    haul.keys[0].key = key;
    haul.keys[0].references = q->sym ? 1 : 0;
    haul.keys[0].holds = 1;
    haul.keys_count = 1;
    cache_dispose(root, &haul, REASON_CAPACITY);
}

static void miss(const struct request *q, struct counters *c) {
    OUTCOME_MISS(c, create, SITE_CREATE, what(q), q->operation);
}

static PK11Context *bypass(const struct request *q, struct counters *c) {
    OUTCOME_BYPASS(c, create, SITE_CREATE, what(q), q->operation);
    return ask(q);
}

static __attribute__((noinline)) PK11Context *create_slow(struct magazine *m, const struct request *q) {
    struct root *root = m->root;
    struct counters *c = &m->counters;
    enum key_added why = KEY_ADDED;
    struct key *key = key_find_id(root, id_of(q), 1);
    if (key && !still_valid(key)) {
        bool epoch_only = !key->sym && real.PK11_GetSlotSeries(key->identity.slot) == key->series;
        let_go(root, key, q, NULL, NULL);
        if (epoch_only)
            cache_forget((PK11SymKey *)id_of(q));
        else
            cache_stale();
        key = NULL;
    }
    if (!key)
        key = admit(root, m, q, &why);
    if (!key) {
        if (why == KEY_FULL)
            COUNT(c, bypass_max_keys);
        else if (why == KEY_COLLIDES)
            COUNT(c, bypass_token);
        if (why != KEY_ADDED)
            return bypass(q, c);
        miss(q, c);
        return ask(q);
    }
    struct record *more = NULL, *record = take_depot(root, key, q, &more);
    PK11Context *context = NULL;
    bool bound = false;
    if (record && (q->kind != ENGINE_KIND_STREAM || engine_accepted(q))) {
        OUTCOME_HIT(c, create, SITE_CREATE, what(q), q->operation);
    } else if (!parameter_accepted(q, &context)) {
        miss(q, c);
        let_go(root, key, q, record, more);
        return context;
    } else if (record || (record = make(root, key, q, &more, &bound))) {
        miss(q, c);
    } else {
        if (bound)
            COUNT(c, bypass_max_engines);
        else
            COUNT(c, bypass_refused);
        let_go(root, key, q, NULL, NULL);
        return bypass(q, c);
    }
    if (verify_due(record))
        verify_begin(record, q);
    PK11Context *handle = settle(root, key, record, more, q);
    leave_error(q);
    return handle;
}

PK11Context *cache_create(struct request *q) {
    bool why_parameter;
    if (unlikely(!engine_for(q, &why_parameter))) {
        struct counters *c = magazine_counters();
        if (why_parameter)
            COUNT(c, bypass_parameter);
        else
            COUNT(c, bypass_mechanism);
        return bypass(q, c);
    }
    struct entered in = magazine_enter();
    if (unlikely(!in.magazine)) {
        struct counters *c = magazine_counters();
        cache_count_refusal(c, in.why);
        return bypass(q, c);
    }
    struct magazine *m = in.magazine;
    struct line *line = magazine_line(m, id_of(q));
    if (likely(line && still_valid(line->key) && (q->kind != ENGINE_KIND_STREAM || engine_accepted(q)))) {
        struct record *record = pop(line, q);
        if (likely(record)) {
            if (verify_due(record))
                return hand_out_verified(in, line, record, q);
            line->used = true;
            PK11Context *handle = hand_out(record, q, m);
            OUTCOME_HIT(&m->counters, create, SITE_CREATE, what(q), q->operation);
            magazine_leave(in);
            leave_error(q);
            return handle;
        }
    }
    magazine_leave(in);
    return create_slow(m, q);
}

/* An engine comes back: to this thread's line, to the depot, or to NSS. */
static void give_back(struct record *record) {
    struct root *root = root_get();
    if (!root || atomic_load(&record->fork) != root->fork || record->tainted || root_mode() != MODE_UP) {
        if (root)
            cache_drop_engine(root, record,
                              record->tainted                            ? REASON_ERROR
                              : atomic_load(&record->fork) != root->fork ? REASON_FORK
                              : root_mode() == MODE_OFF                  ? REASON_FLUSH
                                                                         : REASON_FORGOTTEN);
        return;
    }
    struct entered in = magazine_enter();
    if (likely(in.magazine)) {
        struct line *line = magazine_line(in.magazine, record->key->id);
        bool room = line && line->key == record->key && line->idle_count[kind_of_record(record)] < IDLE_MAX;
        if (likely(room)) {
            push(line, record);
            line->used = true;
        }
        magazine_leave(in);
        if (likely(room))
            return;
    }
    atomic_store(&record->state, RECORD_IDLE);
    if (!key_depot_give(root, record->key, record, DEPOT_MAX))
        cache_drop_engine(root, record, REASON_CAPACITY);
}

void cache_destroy(PK11Context *handle) {
    bool owner;
    struct record *record = record_enter(handle, &owner);
    if (!record) {
        COUNT(magazine_counters(), second_destroys);
        return;
    }
    COUNT(magazine_counters(), handles_destroyed);
    /* From here on the handle is stale for everybody, and the record is this call's alone. */
    atomic_store_explicit(&record->live, 0, memory_order_release);
    PK11Context *direct = record->direct;
    record->direct = NULL;
    PK11Context *shadow = record->shadow;
    record->shadow = NULL;
    memset(record->buffer, 0, sizeof record->buffer);
    memset(record->final, 0, sizeof record->final);
    bool pooled = record->kind == ENGINE_KIND_RESET;
    if (!pooled)
        memset(record->param, 0, sizeof record->param);
    record_leave(record, owner);
    if (unlikely(direct && !pooled)) {
        guard_enter();
        real.PK11_DestroyContext(direct, PR_TRUE);
        guard_leave();
    }
    if (unlikely(shadow)) {
        guard_enter();
        real.PK11_DestroyContext(shadow, PR_TRUE);
        guard_leave();
    }
    if (pooled && record->dirty && !record->tainted && !engine_reset(record))
        record->tainted = true;
    give_back(record);
}
