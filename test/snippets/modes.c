/* Other block modes and ciphers, and lengths that don't fit an unpadded one.
 * counts: hits */
#include "snippet.h"

static void use(const char *name, CK_MECHANISM_TYPE mechanism, unsigned length) {
    unsigned char iv[16] = "fifteen letters", text[64] = "text of sixty-four bytes", out[96];
    SECItem param = {siBuffer, iv, mechanism == CKM_DES3_CBC_PAD ? 8 : mechanism == CKM_AES_ECB ? 0 : 16};
    PK11SymKey *key = key_for(mechanism, CKA_ENCRYPT, 9, length);
    for (int size = 0; size <= 64; size += 8) {
        int got = 0;
        unsigned last = 0;
        PK11Context *context = PK11_CreateContextBySymKey(mechanism, CKA_ENCRYPT, key, &param);
        printf("%s, %d bytes\n", name, size);
        CALL("op", PK11_CipherOp(context, out, &got, sizeof out, text, size));
        CALL("final", PK11_DigestFinal(context, out + got, &last, 16));
        bytes("out", out, got + (int)last);
        PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
}

int snippet(void) {
    init();
    use("AES-128 CBC", CKM_AES_CBC, 16);
    use("AES-256 CBC", CKM_AES_CBC, 32);
    use("AES-192 CBC, padded", CKM_AES_CBC_PAD, 24);
    use("AES-128 ECB", CKM_AES_ECB, 16);
    use("3DES, padded", CKM_DES3_CBC_PAD, 24);
    use("Camellia", CKM_CAMELLIA_CBC, 16);
    print_shutdown("end");
    return 0;
}
