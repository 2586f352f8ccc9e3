/* check_object.h - what one ELF file, a program or a shared object, shows of its use of NSS contexts. */
#ifndef PK11CACHE_CHECK_OBJECT_H
#define PK11CACHE_CHECK_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions that the library hooks. */
enum nss_function {
#define HOOK(name, result, parameters) NSS_##name,
#include "hooks/hooks.def"
#undef HOOK
    NSS_FUNCTIONS
};
extern const char *const nss_function_names[NSS_FUNCTIONS];

/* Does it make a context of a kind that the cache serves? */
bool nss_function_makes_context(int function);

/* A word that the loader fills with a function's address, relative to where the object is loaded. */
struct slot {
    int function;
    uint64_t at;
};

struct object_facts {
    int class, machine, type; /* as in the ELF header */
    uint64_t first, last;     /* what it is loaded to, whole pages, without the offset of the load */
    char *interpreter;        /* the loader it names, or NULL */
    char soname[64];
    bool dynamic, pie, symbolic;     /* symbolic: it looks for its own definitions first */
    int glibc_defined, glibc_needed; /* the highest GLIBC_2.17 among its versions is 2017; 0: none */
    bool calls[NSS_FUNCTIONS];       /* through a word that another object's definition can fill */
    bool own[NSS_FUNCTIONS];         /* it has a definition */
    bool exported[NSS_FUNCTIONS];    /* others can see it */
    bool named[NSS_FUNCTIONS];       /* it has dlsym, and the name as a string; of those that make contexts */
    bool opens;                      /* it has dlopen */
    const char *other_crypto;        /* another library whose ciphers or digests it uses, or NULL */
    char other_function[64];         /* one of these */
    struct slot *slots;
    size_t slots_count;
};

enum object_kind { OBJECT_PROGRAM, OBJECT_STATIC, OBJECT_SHARED, OBJECT_OTHER };

/* False, with errno or 0 (no ELF file) in `*error`, when it can't be read. To be freed by object_free when true. Reads
 * by its own position; one thread. */
bool object_read(int fd, struct object_facts *facts, int *error);
void object_free(struct object_facts *facts);

/* A program with a loader, a static one, a shared object, or nothing of these. */
enum object_kind object_kind(const struct object_facts *facts);

/* "x86-64, 64-bit" and the like. Valid until the next call. */
const char *object_machine(const struct object_facts *facts);

#endif
