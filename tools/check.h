/* check.h - the parts of `pk11cache check`: what is looked at, how its objects are found, and what is said of them.
 *
 * Everything runs in one thread. What is looked at may belong to somebody else and may be broken: nothing of it is run,
 * but for the loader that a program names, and that only when nobody but root and ourselves could have written it. */
#ifndef PK11CACHE_CHECK_H
#define PK11CACHE_CHECK_H

#include "check_object.h"
#include "process.h"

#include <limits.h>

enum { CHECK_YES, CHECK_NO, CHECK_BAD }; /* exit statuses */

struct object {
    char *path;       /* as the loader or the process sees it */
    const char *name; /* the path's last part */
    bool readable;    /* the facts are there */
    bool code;        /* some of it is mapped to be executed */
    struct object_facts facts;
    uint64_t low, high; /* where it lies in the process; 0 for a file */
};

struct objects {
    struct object *items; /* the first is the program; to be freed by objects_free */
    size_t count;
};

/* A new last object; the path is copied. NULL without memory. The caller fills in the facts. */
struct object *objects_add(struct objects *objects, const char *path);
void objects_free(struct objects *objects);

/* The one whose name begins so, or NULL. */
const struct object *objects_find(const struct objects *objects, const char *name);

/* Its name for people: nothing in it steers a terminal. Valid until the next call. */
const char *object_shown(const struct object *object, bool with_path);

bool object_is_cache(const struct object *object);    /* libpk11cache.so */
bool object_is_provider(const struct object *object); /* libnss3 itself: whose calls are meant to reach it */

/* What the program's own loader would load for it, added to `objects`, which has the program. False, with a clause in
 * `why`, when the loader can't say, or something is missing. */
bool check_list(struct objects *objects, char *why, size_t size);

/* Does its loader take the library in, preloaded as `pk11cache run` does? False with a clause in `why`. */
bool check_preload(const struct object *program, const char *library, char *why, size_t size);

/* What is mapped into the process, the program first. False when that may not be seen. Objects that can't be opened are
 * there, but not readable. */
bool check_maps(pid_t pid, struct objects *objects);

/* Where the words of a running process lead that were to be filled with NSS's functions. */
enum binding {
    BINDING_UNKNOWN, /* its memory can't be read, or it is a file */
    BINDING_NOT_YET, /* the loader fills it at the first call */
    BINDING_CACHE,
    BINDING_OTHER, /* past the cache */
};
/* `to` is the object it leads to, NULL unless BINDING_OTHER. `memory` is /proc/PID/mem, or -1. */
enum binding check_binding(const struct objects *objects, const struct object *from, int function, int memory,
                           const struct object **to);

/* The verdict on who uses contexts, said on stdout. */
struct check_uses {
    int reached;  /* objects whose contexts are made through the cache, once it is preloaded */
    int past;     /* objects whose contexts are made past it */
    bool unbound; /* of those reached, some make their first call yet */
};
/* `there` says that the cache is in the process; `memory` as above. */
struct check_uses check_say_uses(const struct objects *objects, bool there, int memory);

/* Why the library can't be preloaded into this program, whoever starts it: a clause in `text`. False when nothing is
 * known against it. `library` may be NULL: not known. */
bool check_obstacle(const struct objects *objects, const struct object_facts *library, char *text, size_t size);

/* The facts of the library's file, to be freed. False after a complaint. */
bool check_library(const char *path, struct object_facts *facts);

struct check_user {
    const char *name; /* for messages */
    uid_t uid;
    gid_t gid;
};

/* Check a program's file, as that user would start it, or a running process, and say the result. `library` is the
 * path of one that was tried; NULL, for a process only, when there is none. The result is the exit status. */
int check_file(const char *name, const struct check_user *user, const char *library);
int check_process(pid_t pid, const char *library);

#endif
