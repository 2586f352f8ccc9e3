/* The list of a program's objects. */
#include "check.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object *objects_add(struct objects *objects, const char *path) {
    struct object *items = realloc(objects->items, (objects->count + 1) * sizeof *items);
    if (!items)
        return NULL;
    objects->items = items;
    char *copy = strdup(path);
    if (!copy)
        return NULL;
    const char *slash = strrchr(copy, '/');
    items[objects->count] = (struct object){.path = copy, .name = slash ? slash + 1 : copy};
    return &items[objects->count++];
}

void objects_free(struct objects *objects) {
    for (size_t i = 0; i < objects->count; i++) {
        free(objects->items[i].path);
        object_free(&objects->items[i].facts);
    }
    free(objects->items);
    *objects = (struct objects){0};
}

const struct object *objects_find(const struct objects *objects, const char *name) {
    for (size_t i = 0; i < objects->count; i++)
        if (strncmp(objects->items[i].name, name, strlen(name)) == 0)
            return &objects->items[i];
    return NULL;
}

bool object_is_cache(const struct object *object) {
    return strncmp(object->name, "libpk11cache.so", 15) == 0 || strcmp(object->facts.soname, "libpk11cache.so") == 0;
}

bool object_is_provider(const struct object *object) {
    return strncmp(object->name, "libnss3.so", 10) == 0 || strcmp(object->facts.soname, "libnss3.so") == 0;
}

const char *object_shown(const struct object *object, bool with_path) {
    static char text[PATH_MAX + 512];
    if (with_path && object->name != object->path)
        snprintf(text, sizeof text, "%s (%s)", object->name, object->path);
    else
        snprintf(text, sizeof text, "%s", object->name);
    format_printable(text);
    return text;
}
