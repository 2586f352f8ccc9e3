/* Where a running process's calls lead. The loader's words in memory are the proof: RTLD_DEEPBIND and dlmopen leave no
 * trace in a file. */
#include "check.h"

#include <unistd.h>

static const struct object *object_at(const struct objects *objects, uint64_t address) {
    for (size_t i = 0; i < objects->count; i++)
        if (address >= objects->items[i].low && address < objects->items[i].high)
            return &objects->items[i];
    return NULL;
}

static bool read_word(int memory, uint64_t at, uint64_t *value) {
    return pread(memory, value, sizeof *value, (off_t)at) == (ssize_t)sizeof *value;
}

/* A word that leads into its own object, which has no such function, is that of one not called yet (or, in a program
 * that is not position-independent, of one whose address is taken: calls go on from there by another word). */
static enum binding judge(const struct objects *objects, const struct object *from, int function, uint64_t value,
                          const struct object **to) {
    const struct object *target = object_at(objects, value);
    *to = NULL;
    if (!target)
        return BINDING_UNKNOWN;
    if (object_is_cache(target))
        return BINDING_CACHE;
    if ((target == from || target == &objects->items[0]) && !target->facts.own[function])
        return BINDING_NOT_YET;
    *to = target;
    return BINDING_OTHER;
}

enum binding check_binding(const struct objects *objects, const struct object *from, int function, int memory,
                           const struct object **to) {
    enum binding best = BINDING_UNKNOWN;
    *to = NULL;
    for (size_t i = 0; memory >= 0 && from->low && i < from->facts.slots_count; i++) {
        uint64_t value;
        const struct object *target;
        const struct slot *slot = &from->facts.slots[i];
        if (slot->function != function || !read_word(memory, from->low - from->facts.first + slot->at, &value))
            continue;
        enum binding binding = judge(objects, from, function, value, &target);
        if (binding > best) {
            best = binding;
            *to = target;
        }
    }
    return best;
}
