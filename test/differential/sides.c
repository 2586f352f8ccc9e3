#include "sides.h"

#include <dlfcn.h>

struct side hooked = {.name = "hooked"}, bare = {.name = "bare"};

bool sides_init(void) {
    void *nss = dlopen("libnss3.so", RTLD_NOW | RTLD_NOLOAD);
    if (!nss)
        return false;
#define F(function)                                                                                                    \
    hooked.function = function;                                                                                        \
    *(void **)&bare.function = dlsym(nss, #function);                                                                  \
    if (!bare.function)                                                                                                \
        return false;
    SIDE_FUNCTIONS(F)
#undef F
    return true;
}
