/* Nothing to encrypt: an op of no bytes, none at all, and bytes that come one by one.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    unsigned char out[64] = {0}, byte = 'x';
    init();
    PK11SymKey *key = import(1);
    for (int ops = 0; ops < 20; ops++) {
        int length = 0, all = 0;
        unsigned last = 0;
        PK11Context *context = create(key, CKA_ENCRYPT);
        for (int i = 0; i < ops; i++) {
            if (PK11_CipherOp(context, out + all, &length, (int)sizeof out - all, &byte, i > 0) != SECSuccess)
                printf("op %d: error %d\n", i, PR_GetError());
            all += length;
        }
        CALL("final", PK11_DigestFinal(context, out + all, &last, 16));
        bytes("out", out, all + (int)last);
        PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
