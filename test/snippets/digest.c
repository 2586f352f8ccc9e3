/* Digests: a context used twice, one dropped in the middle, and NSS's own in PK11_HashBuf.
 * counts: create_hits */
#include "snippet.h"

int snippet(void) {
    unsigned char hash[32];
    unsigned length = 0;
    init();
    for (int i = 0; i < 3; i++) {
        PK11Context *context = PK11_CreateDigestContext(SEC_OID_SHA256);
        for (int again = 0; again < 2; again++) {
            CALL("begin", PK11_DigestBegin(context));
            CALL("op", PK11_DigestOp(context, (const unsigned char *)"abc", 3));
            CALL("final", PK11_DigestFinal(context, hash, &length, sizeof hash));
            bytes("of abc", hash, (int)length);
        }
        CALL("begin", PK11_DigestBegin(context));
        CALL("op", PK11_DigestOp(context, (const unsigned char *)"never ended", 11));
        PK11_DestroyContext(context, PR_TRUE);
        CALL("HashBuf", PK11_HashBuf(SEC_OID_SHA256, hash, (const unsigned char *)"abc", 3));
        bytes("of abc", hash, sizeof hash);
    }
    print_shutdown("end");
    return 0;
}
