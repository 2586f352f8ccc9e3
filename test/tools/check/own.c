/* A stand-in for NSS that is linked in: its calls don't go through the loader, or they do, as it is linked. */
#include <stddef.h>

__attribute__((noinline)) void *PK11_CreateContextBySymKey(unsigned long type, unsigned long operation, void *key,
                                                           const void *parameter);
int own_use(void);

void *PK11_CreateContextBySymKey(unsigned long type, unsigned long operation, void *key, const void *parameter) {
    return type + operation == 1 ? key : (void *)(size_t)parameter;
}

int own_use(void) {
    return PK11_CreateContextBySymKey(1, 1, NULL, NULL) != NULL;
}
