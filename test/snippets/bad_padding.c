/* A message that decrypts to bad padding: -8190 from DigestFinal. Builds of Ceph of 2015 then destroy the context
 * twice (destroyed_twice.c). Then a good one, by a context that may be the same.
 * counts: create_hits */
#include "snippet.h"

static void decrypt(PK11SymKey *key, const unsigned char *data, int size) {
    unsigned char out[96];
    int length = 0;
    unsigned last = 0;
    PK11Context *context = create(key, CKA_DECRYPT);
    CALL("op", PK11_CipherOp(context, out, &length, sizeof out, data, size));
    CALL("final", PK11_DigestFinal(context, out + length, &last, 16));
    printf("%d bytes\n", length);
    CALL("after it", PK11_CipherOp(context, out, &length, sizeof out, data, 16));
    PK11_DestroyContext(context, PR_TRUE);
}

int snippet(void) {
    unsigned char good[32], bad[32];
    init();
    PK11SymKey *key = import(1);
    first_answer(key, good);
    for (int i = 0; i < 6; i++) {
        memcpy(bad, good, sizeof bad);
        bad[15] = (unsigned char)(bad[15] ^ (i * 40 + 1)); /* its bits are flipped in the last byte of the text */
        decrypt(key, bad, sizeof bad);
        decrypt(key, good, sizeof good);
        decrypt(key, good, 31);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
