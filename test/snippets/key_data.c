/* A program that looks at a key's bytes, and one that changes them: the token has the old key.
 * counts: hits */
#include "snippet.h"

static void look(PK11SymKey *key) {
    CALL("extract", PK11_ExtractKeyValue(key));
    SECItem *data = PK11_GetKeyData(key);
    bytes("key", data->data, (int)data->len);
    printf("length %u, mechanism %lx\n", PK11_GetKeyLength(key), PK11_GetMechanism(key));
}

int snippet(void) {
    init();
    for (int i = 0; i < 3; i++) {
        PK11SymKey *one = import(1), *other = import(2);
        unsigned char wanted[32];
        first_answer(one, wanted);
        look(one);
        PK11_GetKeyData(one)->data[0] ^= 1;
        look(one);
        printf("the token has the old one: %d\n", encrypts(one, wanted));
        look(other);
        PK11_FreeSymKey(one);
        one = import(1);
        look(one);
        PK11_FreeSymKey(one);
        PK11_FreeSymKey(other);
    }
    print_shutdown("end");
    return 0;
}
