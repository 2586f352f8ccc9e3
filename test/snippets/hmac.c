/* An HMAC a packet, as corosync makes them.
 * counts: create_hits */
#include "snippet.h"

int snippet(void) {
    static const SECItem none = {siBuffer, NULL, 0};
    init();
    PK11SymKey *key = key_for(CKM_SHA256_HMAC, CKA_SIGN, 3, 32);
    for (int i = 0; i < 4; i++) {
        unsigned char mac[32];
        unsigned length = 0;
        PK11Context *context = PK11_CreateContextBySymKey(CKM_SHA256_HMAC, CKA_SIGN, key, &none);
        CALL("begin", PK11_DigestBegin(context));
        CALL("op", PK11_DigestOp(context, (const unsigned char *)"packet", (unsigned)i + 2));
        CALL("final", PK11_DigestFinal(context, mac, &length, sizeof mac));
        bytes("mac", mac, (int)length);
        PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
