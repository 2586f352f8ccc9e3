/* dlsym [everywhere]: look NSS's functions up by name, in its handle, past any preload, or with RTLD_DEFAULT, where a
 * preload comes first. Make a context, say "ready", and wait. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int use(void *where) {
    int (*init)(const char *), sha256 = 191; /* SEC_OID_SHA256 */
    void *(*make)(int);
    void (*destroy)(void *, int);
    *(void **)&init = dlsym(where, "NSS_NoDB_Init");
    *(void **)&make = dlsym(where, "PK11_CreateDigestContext");
    *(void **)&destroy = dlsym(where, "PK11_DestroyContext");
    if (!init || !make || !destroy || init(NULL) != 0)
        return 1;
    void *context = make(sha256);
    if (context)
        destroy(context, 1);
    return context == NULL;
}

int main(int argc, char **argv) {
    (void)argv;
    void *nss = dlopen("libnss3.so", RTLD_NOW | RTLD_GLOBAL);
    if (!nss || use(argc > 1 ? RTLD_DEFAULT : nss) != 0)
        return 1;
    puts("ready");
    fflush(stdout);
    alarm(60);
    pause();
    return 0;
}
