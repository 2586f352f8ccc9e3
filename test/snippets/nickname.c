/* A nickname that is given to a key is not found on the next one of the same bytes.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    for (int i = 0; i < 3; i++) {
        PK11SymKey *key = import(1);
        char *name = PK11_GetSymKeyNickname(key);
        printf("its name: %s\n", name ? name : "none");
        if (name)
            PORT_Free(name);
        CALL("set", PK11_SetSymKeyNickname(key, "a name"));
        name = PK11_GetSymKeyNickname(key);
        printf("its name: %s\n", name ? name : "none");
        if (name)
            PORT_Free(name);
        PK11_FreeSymKey(key);
        hammer("used", 1);
    }
    print_shutdown("end");
    return 0;
}
