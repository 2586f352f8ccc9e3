/* User data of a key is that key's alone, and its freeFunc runs when the last reference goes.
 * counts: hits */
#include "snippet.h"

static void freed(void *data) {
    printf("freeFunc of %s\n", (const char *)data);
}

int snippet(void) {
    init();
    for (int i = 0; i < 3; i++) {
        PK11SymKey *key = import(1);
        unsigned char wanted[32];
        first_answer(key, wanted);
        printf("a new key has none: %d\n", PK11_GetSymKeyUserData(key) == NULL);
        PK11_SetSymKeyUserData(key, "the key", freed);
        PK11SymKey *same = import(1);
        printf("equal bytes, none: %d\n", PK11_GetSymKeyUserData(same) == NULL);
        printf("right: %d\n", encrypts(key, wanted) && encrypts(same, wanted));
        printf("free\n");
        PK11_FreeSymKey(key);
        printf("free the other\n");
        PK11_FreeSymKey(same);
    }
    print_shutdown("end");
    return 0;
}
