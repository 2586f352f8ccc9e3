/* What NSS refuses stays refused, with its error: also when the same call just before was right.
 * counts: hits */
#include "snippet.h"

static void try_to(const char *what, CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key,
                   unsigned length) {
    unsigned char iv[16] = "fifteen letters";
    SECItem param = {siBuffer, iv, length};
    PR_SetError(0, 0);
    PK11Context *context = PK11_CreateContextBySymKey(mechanism, operation, key, &param);
    printf("%s: a context %d, error %d\n", what, context != NULL, context ? 0 : PR_GetError());
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
}

int snippet(void) {
    init();
    PK11SymKey *key = import(1), *mac = key_for(CKM_SHA256_HMAC, CKA_SIGN, 1, 16);
    for (int i = 0; i < 3; i++) {
        try_to("right", CKM_AES_CBC, CKA_ENCRYPT, key, 16);
        try_to("a short IV", CKM_AES_CBC, CKA_ENCRYPT, key, 15);
        try_to("no IV", CKM_AES_CBC, CKA_ENCRYPT, key, 0);
        try_to("no such mechanism", 0x7fffffff, CKA_ENCRYPT, key, 16);
        try_to("no such operation", CKM_AES_CBC, CKA_LABEL, key, 16);
        try_to("a cipher to sign", CKM_AES_CBC, CKA_SIGN, key, 16);
        try_to("a key for HMACs", CKM_AES_CBC, CKA_ENCRYPT, mac, 16);
        try_to("an HMAC of an AES key", CKM_SHA256_HMAC, CKA_SIGN, key, 0);
    }
    PK11_FreeSymKey(key);
    PK11_FreeSymKey(mac);
    print_shutdown("end");
    return 0;
}
