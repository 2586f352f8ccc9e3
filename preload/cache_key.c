/* Symmetric keys imported from raw bytes, by value. */
#include "preload/cache.h"
#include "stats/outcome.h"

#include <string.h>

enum { KEY_BYTES_MAX = 256 };

void cache_count_refusal(struct counters *c, enum magazine_refusal why) {
    if (why == MAGAZINE_THREAD_END)
        COUNT(c, bypass_thread_end);
    else if (why == MAGAZINE_MEMORY)
        COUNT(c, bypass_memory);
    else
        COUNT(c, bypass_busy);
}

static inline struct line *line_by_value(struct magazine *m, uint64_t hash, const struct identity *identity,
                                         const SECItem *data) {
    const uint8_t *set = m->by_value[hash % VALUE_SETS];
    for (unsigned way = 0; way < WAYS; way++) {
        struct line *line = set[way] ? &m->lines[set[way] - 1] : NULL;
        if (line && line->id && line->hash == hash && key_matches(line->key, hash, identity, data))
            return line;
    }
    return NULL;
}

/* Inside the lock: a reference to the cached key, or NULL. */
static PK11SymKey *take(struct magazine *m, uint64_t hash, const struct identity *identity, const SECItem *data,
                        bool *stale) {
    struct line *line = line_by_value(m, hash, identity, data);
    if (!line)
        return NULL;
    if (real.PK11_GetSlotSeries(identity->slot) != line->key->series) {
        *stale = true;
        return NULL;
    }
    line->used = true;
    if (line->references > 1)
        line->references--;
    else
        real.PK11_ReferenceSymKey(line->key->sym);
    return line->key->sym;
}

/* Give a key that is held, with one reference, to this thread's magazine. */
static void keep(struct root *root, struct key *key) {
    struct haul haul = {0};
    struct entered in = magazine_enter();
    if (in.magazine) {
        magazine_put_line(in.magazine, key, 1, &haul);
        magazine_leave(in);
    } else {
        haul.keys[haul.keys_count].key = key;
        haul.keys[haul.keys_count].references = 1;
        haul.keys[haul.keys_count++].holds = 1;
    }
    cache_dispose(root, &haul, REASON_CAPACITY);
}

/* A key that another thread brought, or that this thread's magazine had no room for. */
static PK11SymKey *take_shared(struct root *root, uint64_t hash, const struct identity *identity, const SECItem *data) {
    struct key *key = key_find_value(root, hash, identity, data, 2);
    if (!key)
        return NULL;
    PK11SymKey *sym = key->sym;
    bool stale = real.PK11_GetSlotSeries(identity->slot) != key->series;
    keep(root, key);
    if (!stale)
        return sym;
    guard_enter();
    real.PK11_FreeSymKey(sym); /* not the last: the table has one until cache_stale parks it */
    guard_leave();
    cache_stale();
    return NULL;
}

static enum key_added admit(struct root *root, uint64_t hash, const struct identity *identity, PK11SymKey *sym) {
    struct key fresh = {.id = sym, .sym = sym, .hash = hash, .identity = *identity}, *key;
    fresh.series = real.PK11_GetSlotSeries(identity->slot);
    fresh.data = real.PK11_GetKeyData(sym);
    if (!fresh.data || !fresh.data->data)
        return KEY_COLLIDES;
    fresh.bytes = fresh.data->len;
    enum key_added result = key_add(root, &fresh, 1, &key);
    if (result == KEY_ADDED) {
        COUNT(magazine_counters(), keys_made);
        keep(root, key);
        housekeeper_start(root);
    }
    return result;
}

static PK11SymKey *ask(const struct identity *identity, SECItem *data) {
    guard_enter();
    PK11SymKey *sym = real.PK11_ImportSymKey(identity->slot, identity->mechanism, identity->origin, identity->operation,
                                             data, identity->wincx);
    guard_leave();
    return sym;
}

static __attribute__((noinline)) PK11SymKey *import_slow(struct root *root, uint64_t hash,
                                                         const struct identity *identity, SECItem *data) {
    struct counters *c = magazine_counters();
    PK11SymKey *sym = take_shared(root, hash, identity, data);
    if (sym) {
        OUTCOME_HIT(c, import, SITE_IMPORT, identity->mechanism, identity->operation);
        return sym;
    }
    if (!cache_token(identity->slot)) {
        OUTCOME_BYPASS(c, import, SITE_IMPORT, identity->mechanism, identity->operation);
        COUNT(c, bypass_token);
        return ask(identity, data);
    }
    sym = ask(identity, data);
    enum key_added added = sym ? admit(root, hash, identity, sym) : KEY_ADDED;
    if (added == KEY_ADDED) {
        OUTCOME_MISS(c, import, SITE_IMPORT, identity->mechanism, identity->operation);
        return sym;
    }
    OUTCOME_BYPASS(c, import, SITE_IMPORT, identity->mechanism, identity->operation);
    if (added == KEY_FULL)
        COUNT(c, bypass_max_keys);
    else
        COUNT(c, bypass_key);
    return sym;
}

PK11SymKey *cache_import(const struct identity *identity, SECItem *data) {
    bool stale = false;
    if (unlikely(!data || !data->data || !data->len || data->len > KEY_BYTES_MAX || !identity->slot)) {
        struct counters *c = magazine_counters();
        OUTCOME_BYPASS(c, import, SITE_IMPORT, identity->mechanism, identity->operation);
        COUNT(c, bypass_key);
        return ask(identity, data);
    }
    uint64_t hash = key_hash(identity, data);
    struct entered in = magazine_enter();
    if (unlikely(!in.magazine)) {
        struct counters *c = magazine_counters();
        OUTCOME_BYPASS(c, import, SITE_IMPORT, identity->mechanism, identity->operation);
        cache_count_refusal(c, in.why);
        return ask(identity, data);
    }
    struct magazine *m = in.magazine;
    PK11SymKey *sym = take(m, hash, identity, data, &stale);
    if (likely(sym))
        OUTCOME_HIT(&m->counters, import, SITE_IMPORT, identity->mechanism, identity->operation);
    magazine_leave(in);
    if (likely(sym))
        return sym;
    if (stale)
        cache_stale();
    return import_slow(m->root, hash, identity, data);
}

bool cache_take_key(PK11SymKey *sym) {
    struct entered in = magazine_enter();
    if (!in.magazine)
        return false;
    struct line *line = magazine_line(in.magazine, sym);
    bool taken =
        line && line->references < CREDITS_MAX && !atomic_load_explicit(&line->key->dead, memory_order_acquire);
    if (taken)
        line->references++;
    magazine_leave(in);
    return taken;
}
