/* AES-GCM, which can't be reset: by PK11_Encrypt, and by a context.
 * counts: import_hits */
#include "snippet.h"

int snippet(void) {
    unsigned char iv[12] = "twelve byte", out[64];
    CK_GCM_PARAMS gcm = {iv, sizeof iv, 96, NULL, 0, 128};
    SECItem param = {siBuffer, (unsigned char *)&gcm, sizeof gcm};
    init();
    for (int i = 0; i < 3; i++) {
        unsigned length = 0;
        int some = 0;
        PK11SymKey *key = key_for(CKM_AES_GCM, CKA_ENCRYPT, 5, 16);
        CALL("PK11_Encrypt", PK11_Encrypt(key, CKM_AES_GCM, &param, out, &length, sizeof out, iv, 10));
        bytes("out", out, (int)length);
        PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_GCM, CKA_ENCRYPT, key, &param);
        printf("a context: %d\n", context != NULL);
        CALL("op", PK11_CipherOp(context, out, &some, sizeof out, iv, 10));
        CALL("final", PK11_DigestFinal(context, out, &length, sizeof out));
        if (context)
            PK11_DestroyContext(context, PR_TRUE);
        PK11_FreeSymKey(key);
    }
    print_shutdown("end");
    return 0;
}
