#include "preload/key.h"

#include "preload/options.h"

uint64_t key_hash(const struct identity *identity, const SECItem *data) {
    uint64_t what = identity->mechanism + (identity->operation << 20) + ((uint64_t)identity->origin << 40);
    uint64_t start =
        secret_mix((uintptr_t)identity->slot ^ secret_seed[3], what ^ secret_seed[0]) ^ (uintptr_t)identity->wincx;
    uint64_t hash = secret_hash(start, data->data, data->len);
    return hash ? hash : 1;
}

bool key_matches(const struct key *key, uint64_t hash, const struct identity *identity, const SECItem *data) {
    return key->hash == hash && key->identity.slot == identity->slot &&
           key->identity.mechanism == identity->mechanism && key->identity.origin == identity->origin &&
           key->identity.operation == identity->operation && key->identity.wincx == identity->wincx &&
           !atomic_load_explicit(&key->dead, memory_order_acquire) && key->data->len == data->len &&
           secret_equal(key->data->data, data->data, data->len);
}

static struct shard *shard_of(struct root *root, uint64_t value) {
    return &root->shards[secret_mix(value ^ secret_seed[0], secret_seed[1] | 1) % SHARDS];
}
static struct shard *shard_of_id(struct root *root, const void *id) {
    return shard_of(root, (uintptr_t)id);
}

static void take(struct key *key, unsigned references) {
    atomic_fetch_add(&key->holders, 1);
    for (unsigned i = 0; key->sym && i < references; i++)
        real.PK11_ReferenceSymKey(key->sym);
}

struct key *key_find_id(struct root *root, const void *id, unsigned references) {
    struct shard *shard = shard_of_id(root, id);
    struct key *key = NULL;
    pthread_mutex_lock(&shard->lock);
    HASH_FIND(by_id, shard->by_id, &id, sizeof id, key);
    if (key)
        take(key, references);
    pthread_mutex_unlock(&shard->lock);
    return key;
}

unsigned key_collect(struct root *root, unsigned shard_number, bool (*test)(struct key *), struct key **found,
                     unsigned at_most) {
    struct shard *shard = &root->shards[shard_number];
    struct key *key, *next;
    unsigned count = 0;
    pthread_mutex_lock(&shard->lock);
    HASH_ITER(by_id, shard->by_id, key, next)
    if (count < at_most && test(key)) {
        take(key, 0);
        found[count++] = key;
    }
    pthread_mutex_unlock(&shard->lock);
    return count;
}

struct key *key_find_value(struct root *root, uint64_t hash, const struct identity *identity, const SECItem *data,
                           unsigned references) {
    struct shard *shard = shard_of(root, hash);
    struct key *key = NULL;
    pthread_mutex_lock(&shard->lock);
    HASH_FIND(by_value, shard->by_value, &hash, sizeof hash, key);
    if (key && key_matches(key, hash, identity, data))
        take(key, references);
    else
        key = NULL;
    pthread_mutex_unlock(&shard->lock);
    return key;
}

static struct key *pool_take(struct root *root) {
    pthread_mutex_lock(&root->lock);
    struct key *key = root->free_keys;
    if (key)
        root->free_keys = key->next_free;
    else if (root->keys_touched < (unsigned)options.max_keys.number)
        key = &root->keys[root->keys_touched++];
    pthread_mutex_unlock(&root->lock);
    return key;
}

static void pool_give(struct root *root, struct key *key) {
    memset(key, 0, sizeof *key);
    pthread_mutex_lock(&root->lock);
    key->next_free = root->free_keys;
    root->free_keys = key;
    pthread_mutex_unlock(&root->lock);
}

/* Insert by value; false when a key of that hash is there (another thread was faster, or they collide). */
static bool add_by_value(struct root *root, struct key *key) {
    struct shard *shard = shard_of(root, key->hash);
    struct key *other = NULL;
    pthread_mutex_lock(&shard->lock);
    HASH_FIND(by_value, shard->by_value, &key->hash, sizeof key->hash, other);
    if (!other)
        HASH_ADD(by_value, shard->by_value, hash, sizeof key->hash, key);
    bool done = !other && key->by_value.tbl;
    pthread_mutex_unlock(&shard->lock);
    return done;
}

static bool add_by_id(struct root *root, struct key *key) {
    struct shard *shard = shard_of_id(root, key->id);
    struct key *other = NULL;
    pthread_mutex_lock(&shard->lock);
    HASH_FIND(by_id, shard->by_id, &key->id, sizeof key->id, other);
    if (!other)
        HASH_ADD(by_id, shard->by_id, id, sizeof key->id, key);
    bool done = !other && key->by_id.tbl;
    if (done)
        atomic_store(&key->in_table, true);
    pthread_mutex_unlock(&shard->lock);
    return done;
}

static void delete_by_value(struct root *root, struct key *key) {
    struct shard *shard = shard_of(root, key->hash);
    pthread_mutex_lock(&shard->lock);
    HASH_DELETE(by_value, shard->by_value, key);
    pthread_mutex_unlock(&shard->lock);
}

enum key_added key_add(struct root *root, const struct key *fresh, unsigned references, struct key **added) {
    struct key *key = pool_take(root);
    if (!key)
        return KEY_FULL;
    memcpy(key, fresh, sizeof *key);
    atomic_store(&key->holders, 1); /* the table's */
    take(key, references + 1);
    bool valued = key->hash && add_by_value(root, key);
    if ((key->hash && !valued) || !add_by_id(root, key)) {
        atomic_store(&key->dead, true);
        if (valued)
            delete_by_value(root, key);
        for (unsigned i = 0; key->sym && i < references + 1; i++)
            real.PK11_FreeSymKey(key->sym); /* not the last: the caller has one */
        key_release(root, key);             /* the caller's */
        key_release(root, key);             /* the table's; somebody may have found it by value meanwhile */
        return KEY_COLLIDES;
    }
    root_raise(&root->keys_most, atomic_fetch_add(&root->keys_live, 1) + 1);
    *added = key;
    return KEY_ADDED;
}

bool key_remove(struct root *root, struct key *key) {
    struct shard *shard = shard_of_id(root, key->id);
    atomic_store(&key->dead, true);
    pthread_mutex_lock(&shard->lock);
    bool mine = atomic_exchange(&key->in_table, false);
    if (mine)
        HASH_DELETE(by_id, shard->by_id, key);
    pthread_mutex_unlock(&shard->lock);
    if (!mine)
        return false;
    if (key->hash)
        delete_by_value(root, key);
    atomic_fetch_sub(&root->keys_live, 1);
    return true;
}

void key_release(struct root *root, struct key *key) {
    if (atomic_fetch_sub(&key->holders, 1) == 1)
        pool_give(root, key);
}

bool key_depot_give(struct root *root, struct key *key, struct record *record, unsigned at_most) {
    struct shard *shard = shard_of_id(root, key->id);
    pthread_mutex_lock(&shard->lock);
    bool room = key->in_table && key->depot_size < at_most;
    if (room) {
        record->next = key->depot;
        key->depot = record;
        key->depot_size++;
    }
    pthread_mutex_unlock(&shard->lock);
    return room;
}

struct record *key_depot_take(struct root *root, struct key *key, bool (*fits)(const struct record *, const void *),
                              const void *arg) {
    struct shard *shard = shard_of_id(root, key->id);
    pthread_mutex_lock(&shard->lock);
    struct record **link = &key->depot, *record;
    while ((record = *link) && !fits(record, arg))
        link = &record->next;
    if (record) {
        *link = record->next;
        record->next = NULL;
        key->depot_size--;
        key->idle_ticks = 0;
    }
    pthread_mutex_unlock(&shard->lock);
    return record;
}

struct record *key_depot_take_all(struct root *root, struct key *key) {
    struct shard *shard = shard_of_id(root, key->id);
    pthread_mutex_lock(&shard->lock);
    struct record *all = key->depot;
    key->depot = NULL;
    key->depot_size = 0;
    pthread_mutex_unlock(&shard->lock);
    return all;
}
