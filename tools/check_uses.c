/* Who makes NSS contexts, and whether the cache is in the way: said on stdout, an object a line. */
#include "check.h"

#include <stdio.h>
#include <string.h>

/* The functions of that kind which make contexts, as a list: "A, B and C". False when there are none. */
static bool name_makers(const bool which[NSS_FUNCTIONS], char *text, size_t size) {
    const char *names[NSS_FUNCTIONS];
    size_t count = 0, used = 0;
    for (int function = 0; function < NSS_FUNCTIONS; function++)
        if (which[function] && nss_function_makes_context(function))
            names[count++] = nss_function_names[function];
    *text = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " and ",
                                 names[i]);
    return count > 0;
}

static void say_name(const struct object *object, bool program) {
    fputs(object_shown(object, !program), stdout);
}

/* Where its contexts are made that go past the cache, or NULL. */
static const struct object *elsewhere(const struct objects *objects, const struct object *object, int memory,
                                      bool *unbound) {
    const struct object *program = &objects->items[0];
    for (int function = 0; function < NSS_FUNCTIONS; function++) {
        const struct object *to;
        if (!object->facts.calls[function] || !nss_function_makes_context(function))
            continue;
        if (object != program && program->facts.exported[function])
            return program;
        enum binding binding = check_binding(objects, object, function, memory, &to);
        if (binding == BINDING_OTHER)
            return to;
        *unbound = *unbound || binding == BINDING_NOT_YET;
    }
    return NULL;
}

struct scene {
    const struct objects *objects;
    bool there;
    int memory;
    struct check_uses *uses;
};

static void say_calls(const struct scene *s, const struct object *object, const char *makers) {
    bool program = object == &s->objects->items[0];
    const struct object *to = elsewhere(s->objects, object, s->there ? s->memory : -1, &s->uses->unbound);
    say_name(object, program);
    printf(" makes NSS contexts by %s", makers);
    if (!to) {
        s->uses->reached++;
        puts(".");
        return;
    }
    s->uses->past++;
    if (to == &s->objects->items[0])
        printf(
            ", but the program itself defines that (NSS is linked into it statically): its definition comes before any "
            "preloaded one.\n");
    else if (to == object)
        printf(", but is bound to the definition in itself: the cache can't be reached.\n");
    else
        printf(", but past the cache: it is bound to %s itself, as by RTLD_DEEPBIND or dlmopen.\n",
               object_shown(to, false));
}

static void say_own(const struct scene *s, const struct object *object, const char *makers) {
    s->uses->past++;
    say_name(object, object == &s->objects->items[0]);
    printf(" has NSS in itself: it defines %s, ", makers);
    if (object->facts.symbolic)
        puts("and is linked with -Bsymbolic. Its calls never leave it, and a preload can't reach them.");
    else
        puts("linked into it statically. Its calls never leave it, and a preload can't reach them.");
}

static void say_named(const struct scene *s, const struct object *object, const char *makers) {
    s->uses->past++;
    say_name(object, object == &s->objects->items[0]);
    printf(" looks up %s with dlsym: in the handle of libnss3 that finds NSS itself, past a preload.\n", makers);
}

static void look_at(const struct scene *s, const struct object *object) {
    char makers[256];
    if (!object->readable || object_is_cache(object) || object_is_provider(object))
        return;
    if (name_makers(object->facts.calls, makers, sizeof makers))
        say_calls(s, object, makers);
    else if (name_makers(object->facts.own, makers, sizeof makers))
        say_own(s, object, makers);
    else if (name_makers(object->facts.named, makers, sizeof makers))
        say_named(s, object, makers);
}

static bool is_one_of(const struct object *object, const char *const *names) {
    for (; *names; names++)
        if (strncmp(object->name, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Some function of NSS that is hooked, of the first object that calls one. */
static bool say_other_nss(const struct objects *objects) {
    static const char *const of_nss[] = {"libsmime3.so", "libssl3.so", "libnss3.so", "libpk11cache.so", NULL};
    for (size_t i = 0; i < objects->count; i++)
        for (int function = 0; function < NSS_FUNCTIONS; function++)
            if (objects->items[i].facts.calls[function] && !is_one_of(&objects->items[i], of_nss)) {
                say_name(&objects->items[i], i == 0);
                printf(" uses NSS (%s), but makes no context of a kind that is cached.\n",
                       nss_function_names[function]);
                return true;
            }
    return false;
}

static void say_other_crypto(const struct objects *objects) {
    static const char *const of_crypto[] = {"libssl.so", "libcrypto.so", "libgnutls.so", "libgcrypt.so", NULL};
    for (size_t i = 0; i < objects->count; i++) {
        const struct object_facts *facts = &objects->items[i].facts;
        if (!facts->other_crypto || is_one_of(&objects->items[i], of_crypto))
            continue;
        say_name(&objects->items[i], i == 0);
        printf(" uses %s instead (%s).\n", facts->other_crypto, facts->other_function);
        return;
    }
}

static void say_plugins(const struct objects *objects) {
    static const char *const everybodys[] = {"libnspr4.so", "libcrypto.so", "libc.so", "libpk11cache.so", NULL};
    for (size_t i = 0; i < objects->count; i++) {
        if (!objects->items[i].facts.opens || is_one_of(&objects->items[i], everybodys))
            continue;
        say_name(&objects->items[i], i == 0);
        puts(" opens plugins with dlopen, which its file does not name: check the running process, by its number, to "
             "see "
             "theirs. One opened with RTLD_DEEPBIND can't be reached.");
        return;
    }
}

/* A process's plugins are among the objects. */
static void say_none(const struct scene *s) {
    printf("%s makes no NSS contexts.\n", object_shown(&s->objects->items[0], false));
    if (!say_other_nss(s->objects))
        say_other_crypto(s->objects);
    if (!s->objects->items[0].low)
        say_plugins(s->objects);
}

static void say_unreadable(const struct objects *objects) {
    for (size_t i = 1; i < objects->count; i++)
        if (!objects->items[i].readable && (objects->items[i].code || !objects->items[i].low))
            printf("%s can't be read, so that nothing is known of its calls.\n",
                   object_shown(&objects->items[i], true));
}

struct check_uses check_say_uses(const struct objects *objects, bool there, int memory) {
    struct check_uses uses = {0};
    struct scene scene = {objects, there, memory, &uses};
    for (size_t i = 0; i < objects->count; i++)
        look_at(&scene, &objects->items[i]);
    if (!uses.reached && !uses.past)
        say_none(&scene);
    say_unreadable(objects);
    return uses;
}
