/* SaveContextAlloc, RestoreContext and CloneContext: a digest can be copied, a cipher can't.
 * counts: hits */
#include "snippet.h"

static void copy(const char *what, PK11Context *context) {
    unsigned char buffer[2048];
    unsigned length = 0;
    printf("%s\n", what);
    PR_SetError(0, 0);
    unsigned char *state = PK11_SaveContextAlloc(context, buffer, sizeof buffer, &length);
    printf("saved: %d, error %d\n", state != NULL, PR_GetError());
    if (state)
        CALL("restore", PK11_RestoreContext(context, state, (int)length));
    PK11Context *clone = PK11_CloneContext(context);
    printf("a clone: %d\n", clone != NULL);
    if (clone)
        PK11_DestroyContext(clone, PR_TRUE);
}

int snippet(void) {
    unsigned char hash[32];
    unsigned length = 0;
    init();
    for (int i = 0; i < 2; i++) {
        PK11Context *digest = PK11_CreateDigestContext(SEC_OID_SHA256);
        PK11_DigestBegin(digest);
        PK11_DigestOp(digest, (const unsigned char *)"ab", 2);
        copy("digest", digest);
        PK11_DigestOp(digest, (const unsigned char *)"c", 1);
        CALL("final", PK11_DigestFinal(digest, hash, &length, sizeof hash));
        bytes("of abc", hash, (int)length);
        PK11_DestroyContext(digest, PR_TRUE);
        PK11SymKey *key = import(1);
        PK11Context *cipher = create(key, CKA_ENCRYPT);
        copy("cipher", cipher);
        PK11_DestroyContext(cipher, PR_TRUE);
        PK11_FreeSymKey(key);
        hammer("after", 1);
    }
    print_shutdown("end");
    return 0;
}
