/* A shared object whose calls bind to whoever defines the function first. */
#include <stddef.h>

void *PK11_CreateContextBySymKey(unsigned long type, unsigned long operation, void *key, const void *parameter);
int user_use(void);

int user_use(void) {
    return PK11_CreateContextBySymKey(1, 1, NULL, NULL) != NULL;
}
