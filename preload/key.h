/* key.h - cached keys: one struct per key, in two sharded uthash tables (by value, by pointer).
 *
 * A key in the table holds one reference to the PK11SymKey, so its pointer identifies it. The raw bytes are never
 * copied: they are compared with NSS's own copy. A digest has a pseudo key without a PK11SymKey. struct keys come from
 * a pool that is never unmapped; `holders` (the table, magazine lines, records) says when one can be used again. */
#ifndef PK11CACHE_KEY_H
#define PK11CACHE_KEY_H

#define HASH_NONFATAL_OOM 1
#define HASH_FUNCTION(p, n, hash) ((hash) = (unsigned)secret_hash(0, (const unsigned char *)(p), (n)))
#define HASH_KEYCMP(a, b, n) (!secret_equal((const unsigned char *)(a), (const unsigned char *)(b), (n)))
#include "preload/secret.h"
#include <uthash.h>

#include "preload/record.h"

struct identity {
    PK11SlotInfo *slot;
    CK_MECHANISM_TYPE mechanism;
    PK11Origin origin;
    CK_ATTRIBUTE_TYPE operation;
    void *wincx;
};

struct key {
    const void *id; /* the PK11SymKey, or a digest's pseudo id */
    PK11SymKey *sym;
    int series;
    unsigned slot_epoch; /* of a digest: its slot is the best slot of that epoch */
    uint64_t hash;       /* of identity and raw bytes; 0: not imported */
    struct identity identity;
    const SECItem *data; /* NSS's own copy of the raw bytes */
    unsigned bytes;      /* how many, where it was imported */
    _Atomic bool dead;   /* left the table: no import may get it */
    _Atomic bool in_table;
    _Atomic unsigned lines, holders;
    _Atomic unsigned idle_ticks;
    struct record *depot; /* idle engines that no thread holds; under the shard's lock, as the next one */
    unsigned depot_size;
    _Atomic unsigned parked; /* references that can only be given back at shutdown */
    struct key *next_free;
    UT_hash_handle by_value, by_id;
};

/* The hash of an import; never 0. */
uint64_t key_hash(const struct identity *identity, const SECItem *data);
/* Does the import of these bytes mean this key? */
bool key_matches(const struct key *key, uint64_t hash, const struct identity *identity, const SECItem *data);

static inline const void *key_digest_id(SECOidTag digest) {
    return (void *)(((uintptr_t)digest << 1) | 1);
}

/* Find a key and hold it: holders is raised, and `references` are taken of its PK11SymKey. NULL: not there. */
struct key *key_find_id(struct root *root, const void *id, unsigned references);
struct key *key_find_value(struct root *root, uint64_t hash, const struct identity *identity, const SECItem *data,
                           unsigned references);

/* Hold the keys of a shard that pass the test, `at_most` of them; how many were found. */
unsigned key_collect(struct root *root, unsigned shard_number, bool (*test)(struct key *), struct key **found,
                     unsigned at_most);

enum key_added { KEY_ADDED, KEY_FULL, KEY_COLLIDES };
/* Put a key into the table: `fresh` describes it (id, sym, series, slot_epoch, hash, identity, data). It takes one
 * reference for the table and `references` more, and holds it once for the caller. */
enum key_added key_add(struct root *root, const struct key *fresh, unsigned references, struct key **added);

/* Take it out of the table. True for the one caller that did it: the table's reference and hold are then its own. */
bool key_remove(struct root *root, struct key *key);
/* End a hold. */
void key_release(struct root *root, struct key *key);

enum { DEPOT_MAX = 64 };
/* Idle engines that no thread holds. Give returns false when the depot is full or the key left the table. */
bool key_depot_give(struct root *root, struct key *key, struct record *record, unsigned at_most);
struct record *key_depot_take(struct root *root, struct key *key, bool (*fits)(const struct record *, const void *),
                              const void *arg);
struct record *key_depot_take_all(struct root *root, struct key *key);

#endif
