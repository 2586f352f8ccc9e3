#include "preload/real.h"
#include "preload/libc.h"

struct real real;

/* NSS that came by dlopen(RTLD_LOCAL) is invisible to RTLD_NEXT; the loader knows it by its soname. The handle is
 * kept (RTLD_NODELETE), since cached objects point into the library. */
static void *find(void *library, const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    return function || !library ? function : dlsym(library, name);
}

bool real_resolve(void) {
    void *library = dlopen("libnss3.so", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
#define HOOK(name, result, parameters) *(void **)&real.name = find(library, #name);
#define NEEDED HOOK
#include "hooks/hooks.def"
#include "preload/needed.def"
#undef NEEDED
#undef HOOK
    return real.PK11_CreateContextBySymKey && real.PR_SetError && real.PK11_GetSlotSeries;
}

struct nss_error nss_error_get(void) {
    return (struct nss_error){real.PR_GetError(), real.PR_GetOSError()};
}

void nss_error_set(struct nss_error error) {
    /* PR_SetError drops an attached error text, so it is called only where something changed. */
    if (real.PR_GetError() != error.code || real.PR_GetOSError() != error.os)
        real.PR_SetError(error.code, error.os);
}
