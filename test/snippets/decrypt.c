/* Hammer imports its key for CKA_ENCRYPT also where it decrypts.
 * counts: hits */
#include "snippet.h"

static void there_and_back(PK11SymKey *key, int size) {
    unsigned char text[100], secret[128], back[128];
    int length = 0, got = 0;
    unsigned last = 0, rest = 0;
    memset(text, 'a' + size % 26, sizeof text);
    PK11Context *to = create(key, CKA_ENCRYPT), *from = create(key, CKA_DECRYPT);
    CALL("encrypt", PK11_CipherOp(to, secret, &length, sizeof secret, text, size));
    CALL("final", PK11_DigestFinal(to, secret + length, &last, 16));
    CALL("decrypt", PK11_CipherOp(from, back, &got, sizeof back, secret, length + (int)last));
    CALL("final", PK11_DigestFinal(from, back + got, &rest, 16));
    bytes("secret", secret, length + (int)last);
    printf("%d bytes, the same: %d\n", got + (int)rest, got + (int)rest == size && !memcmp(text, back, (size_t)size));
    PK11_DestroyContext(to, PR_TRUE);
    PK11_DestroyContext(from, PR_TRUE);
}

int snippet(void) {
    init();
    PK11SymKey *key = import(1);
    for (int size = 1; size < 100; size += 14)
        there_and_back(key, size);
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
