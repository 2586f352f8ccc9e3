/* Every call with a destroyed handle fails, is counted, writes nothing into the caller's buffers, and reaches
 * neither the next owner's message nor its key.
 * Tried: as destroyed_twice.c: the next owner gets nothing.
 * counts: stale_handles=80 */
#include "snippet.h"

static bool all_fail(PK11Context *gone) {
    unsigned char out[64], untouched[64];
    int length = 0;
    unsigned last = 0;
    memset(out, 0x5a, sizeof out);
    memset(untouched, 0x5a, sizeof untouched);
    bool fail = PK11_CipherOp(gone, out, &length, sizeof out, untouched, 32) == SECFailure;
    fail = PK11_DigestFinal(gone, out, &last, sizeof out) == SECFailure && fail;
    fail = PK11_DigestBegin(gone) == SECFailure && fail;
    fail = PK11_DigestOp(gone, untouched, 16) == SECFailure && fail;
    fail = PK11_Finalize(gone) == SECFailure && fail;
    fail = PK11_CloneContext(gone) == NULL && fail;
    fail = PK11_SaveContextAlloc(gone, NULL, 0, &last) == NULL && fail;
    PK11_DestroyContext(gone, PR_TRUE);
    return fail && memcmp(out, untouched, sizeof out) == 0;
}

int snippet(void) {
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 10; i++) {
        PK11Context *gone = create(key, CKA_ENCRYPT);
        PK11_DestroyContext(gone, PR_TRUE);
        PK11Context *next = create(key, CKA_ENCRYPT);
        printf("each fails: %d\n", !is_handle(gone) || all_fail(gone));
        message("the next", next);
        PK11_DestroyContext(next, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
