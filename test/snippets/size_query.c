/* The size is asked for with a NULL buffer, or one without room. For an unpadded encrypt that ends the operation.
 * counts: hits */
#include "snippet.h"

static void ask(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key) {
    unsigned char iv[16] = "an IV as any", text[48] = "text", out[64];
    SECItem param = {siBuffer, iv, sizeof iv};
    int length = 77;
    unsigned last = 77;
    PK11Context *context = PK11_CreateContextBySymKey(mechanism, operation, key, &param);
    CALL("op, NULL", PK11_CipherOp(context, NULL, &length, 0, text, sizeof text));
    printf("length %d\n", length);
    CALL("op", PK11_CipherOp(context, out, &length, sizeof out, text, sizeof text));
    bytes("out", out, length);
    CALL("final, NULL", PK11_DigestFinal(context, NULL, &last, 0));
    printf("last %u\n", last);
    CALL("final", PK11_DigestFinal(context, out, &last, sizeof out));
    printf("last %u\n", last);
    PK11_DestroyContext(context, PR_TRUE);
}

int snippet(void) {
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 2; i++) {
        ask(CKM_AES_CBC_PAD, CKA_ENCRYPT, key);
        ask(CKM_AES_CBC_PAD, CKA_DECRYPT, key);
        ask(CKM_AES_CBC, CKA_ENCRYPT, key);
        ask(CKM_AES_CBC, CKA_DECRYPT, key);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
