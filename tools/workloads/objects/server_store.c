#include "server.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

enum { SHARDS = 64 };

struct object {
    uint64_t number;
    uint32_t length;
    unsigned char *data;
    UT_hash_handle hh;
};

/* Rank: last; nothing is called under it but malloc. */
static struct shard {
    pthread_mutex_t lock;
    struct object *objects;
} shards[SHARDS] = {[0 ... SHARDS - 1] = {PTHREAD_MUTEX_INITIALIZER, NULL}};

static struct object *find(struct shard *shard, uint64_t number) {
    struct object *object;
    HASH_FIND(hh, shard->objects, &number, sizeof number, object);
    return object;
}

static struct object *add(struct shard *shard, uint64_t number) {
    struct object *object = calloc(1, sizeof *object);
    if (!object)
        return NULL;
    object->number = number;
    HASH_ADD(hh, shard->objects, number, sizeof object->number, object);
    if (find(shard, number) == object)
        return object;
    free(object); /* the table could not grow */
    return NULL;
}

static bool replace(struct object *object, const unsigned char *data, uint32_t length) {
    unsigned char *room = object->length == length && object->data ? object->data : malloc(length + 1u);
    if (!room)
        return false;
    if (room != object->data)
        free(object->data);
    memcpy(room, data, length);
    object->data = room;
    object->length = length;
    return true;
}

enum frame_status store_write(uint64_t number, const unsigned char *data, uint32_t length) {
    struct shard *shard = &shards[number % SHARDS];
    pthread_mutex_lock(&shard->lock);
    struct object *object = find(shard, number);
    if (!object)
        object = add(shard, number);
    bool fine = object && replace(object, data, length);
    pthread_mutex_unlock(&shard->lock);
    return fine ? FRAME_FINE : FRAME_NO_MEMORY;
}

enum frame_status store_read(uint64_t number, unsigned char **data, uint32_t *length) {
    struct shard *shard = &shards[number % SHARDS];
    enum frame_status status = FRAME_NO_OBJECT;
    pthread_mutex_lock(&shard->lock);
    struct object *object = find(shard, number);
    if (object && object->data) {
        *data = malloc(object->length + 1u);
        *length = object->length;
        status = *data ? FRAME_FINE : FRAME_NO_MEMORY;
        if (*data)
            memcpy(*data, object->data, object->length);
    }
    pthread_mutex_unlock(&shard->lock);
    return status;
}

void store_free(void) {
    for (int i = 0; i < SHARDS; i++) {
        struct object *object, *other;
        HASH_ITER(hh, shards[i].objects, object, other) {
            HASH_DEL(shards[i].objects, object);
            free(object->data);
            free(object);
        }
    }
}
