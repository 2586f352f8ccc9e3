/* In the early library: it is linked with the snippets. */
#include "host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int host_early_status;
int host_early_status = HOST_BROKEN;

void host_early(const char *when) {
    const char *asked = getenv("SNIPPET_EARLY"), *name = asked ? strchr(asked, ' ') : NULL;
    if (!name || (size_t)(name - asked) != strlen(when) || strncmp(asked, when, strlen(when)) != 0)
        return;
    char symbol[128];
    snprintf(symbol, sizeof symbol, "snippet_%s", name + 1);
    int (*run)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, symbol);
    host_early_status = run ? run() : HOST_BROKEN;
    fflush(stdout);
}
