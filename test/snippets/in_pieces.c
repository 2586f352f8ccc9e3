/* A long message in pieces of odd sizes.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    static unsigned char text[20000], out[20100];
    init();
    PK11SymKey *key = import(1);
    for (int step = 1; step < 9000; step = step * 3 + 2) {
        PK11Context *context = create(key, CKA_ENCRYPT);
        int all = 0, length = 0;
        unsigned last = 0;
        for (int at = 0; at < (int)sizeof text; at += step) {
            int size = (int)sizeof text - at < step ? (int)sizeof text - at : step;
            if (PK11_CipherOp(context, out + all, &length, (int)sizeof out - all, text + at, size) != SECSuccess)
                printf("error %d\n", PR_GetError());
            all += length;
        }
        CALL("final", PK11_DigestFinal(context, out + all, &last, 16));
        bytes("the end", out + all + last - 16, 16);
        printf("%d bytes\n", all + (int)last);
        PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
