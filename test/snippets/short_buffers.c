/* No room for the result: the error, what is said about the length, and that the context goes on as it does bare.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    unsigned char text[40] = "forty bytes", out[64];
    init();
    PK11SymKey *key = import(1);
    for (int room = 0; room <= 48; room += 8) {
        int length = 77;
        unsigned last = 77;
        PK11Context *context = create(key, CKA_ENCRYPT);
        printf("room for %d\n", room);
        CALL("op", PK11_CipherOp(context, out, &length, room, text, sizeof text));
        printf("length %d\n", length);
        CALL("final", PK11_DigestFinal(context, out, &last, (unsigned)room / 3));
        printf("last %u\n", last);
        CALL("final with room", PK11_DigestFinal(context, out, &last, sizeof out));
        PK11_DestroyContext(context, PR_TRUE);
    }
    hammer("the next", 1);
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
