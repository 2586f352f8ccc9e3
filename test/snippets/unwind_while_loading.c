/* Row "gperftools#786, #1159, libunwind#16": a thread loads libraries, and their constructors make calls whose stack
 * is taken; others' stacks are taken meanwhile. dlopen holds the loader's lock, which dladdr and dl_iterate_phdr
 * want.
 * Tried: `describe` in describe_and_add called with the lock of `struct sites` held: both threads stop for ever.
 * only in: preloaded local thread warm jemalloc tcmalloc - it waits for the cache's helper, a third of a second
 * set: PK11CACHE_SITES=1 PK11CACHE_STACKS=yes
 * counts: stacks_taken stacks_skipped */
#include "snippet.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

void snippet_unwind_here(unsigned path);

/* A context that the cache doesn't serve: its call stack is taken. */
static void bypass(void) {
    unsigned char iv[12] = "twelve byte";
    CK_GCM_PARAMS gcm = {iv, sizeof iv, 96, NULL, 0, 128};
    SECItem param = {siBuffer, (unsigned char *)&gcm, sizeof gcm};
    PK11SymKey *key = import(1);
    PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_GCM, CKA_ENCRYPT, key, &param);
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
}

/* Each value of `path` makes another stack, whose frames are then looked up. Also called by loaded.c's constructor. */
__attribute__((noinline)) void snippet_unwind_here(unsigned path) {
    if (path <= 1) {
        bypass();
    } else if (path % 2) {
        snippet_unwind_here(path / 2);
        __asm__ volatile("# odd" ::: "memory"); /* two calls, which are not merged, and no tail calls */
    } else {
        snippet_unwind_here(path / 2);
        __asm__ volatile("# even" ::: "memory");
    }
}

static _Atomic bool ended;

static void *loads(void *path) {
    int loaded = 0;
    for (int i = 0; i < 200; i++) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        loaded += library != NULL;
        if (library)
            dlclose(library);
    }
    printf("loaded: %d\n", loaded);
    atomic_store(&ended, true);
    return NULL;
}

int snippet(void) {
    char path[4096];
    Dl_info here;
    pthread_t thread;
    init();
    hammer("first", 1);
    usleep(200000); /* the helper loads libunwind */
    if (!dladdr((void *)(intptr_t)&snippet_unwind_here, &here))
        return 1;
    snprintf(path, sizeof path, "%.*slibsnippet_loaded.so", (int)(strrchr(here.dli_fname, '/') + 1 - here.dli_fname),
             here.dli_fname);
    atomic_store(&ended, false);
    pthread_create(&thread, NULL, loads, path);
    for (unsigned i = 1; !atomic_load(&ended); i++)
        snippet_unwind_here(i % 4096);
    pthread_join(thread, NULL);
    print_shutdown("end");
    return 0;
}
