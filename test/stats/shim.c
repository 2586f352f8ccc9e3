/* A second preloaded library that makes life hard for the first, as SHIM says:
 *   dlopen_loop  a thread loads and unloads a library without end, from before main on
 *   no_unwind    libunwind is not there */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int shim_is(const char *name) {
    const char *shim = getenv("SHIM");
    return shim && strcmp(shim, name) == 0;
}

void *dlopen(const char *name, int flags) {
    static void *(*next)(const char *, int);
    if (!next)
        next = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return name && strstr(name, "libunwind") && shim_is("no_unwind") ? NULL : next(name, flags);
}

static void *loop(void *arg) {
    for (;;) {
        void *library = dlopen("libjansson.so.4", RTLD_NOW);
        if (!library)
            abort();
        dlclose(library);
    }
    return arg;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    if (shim_is("dlopen_loop"))
        pthread_create(&thread, NULL, loop, NULL);
}
