/* DigestBegin after an end starts anew with the first IV; in the middle NSS succeeds, and goes on where it was.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    unsigned char text[32] = "thirty-two bytes are two blocks", out[64];
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 2; i++) {
        PK11Context *context = create(key, CKA_ENCRYPT);
        for (int round = 0; round < 3; round++) {
            int length = 0;
            unsigned last = 0;
            CALL("begin", PK11_DigestBegin(context));
            CALL("op", PK11_CipherOp(context, out, &length, sizeof out, text, sizeof text));
            bytes("out", out, length);
            if (round == 1)
                CALL("begin in the middle", PK11_DigestBegin(context));
            CALL("final", PK11_DigestFinal(context, out, &last, sizeof out));
            bytes("final", out, (int)last);
        }
        CALL("Finalize", PK11_Finalize(context));
        PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    hammer("the next", 1);
    hammer("the next", 1);
    print_shutdown("end");
    return 0;
}
