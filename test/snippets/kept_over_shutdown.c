/* A context is kept over a shutdown, which fails (-8053), as the next init does (-8018) until the context is
 * destroyed. Its handle is then kept over that init too, and used once more: it fails, is counted, and reaches
 * nobody. Bare NSS would use freed memory there.
 * not in: nofile - NSS opens files when it is initialised again
 * counts: hits stale_handles=3 second_destroys=1 */
#include "snippet.h"

static bool all_fail(PK11Context *gone) {
    unsigned char out[64], text[29] = "text";
    int length = 0;
    unsigned last = 0;
    bool fail = PK11_CipherOp(gone, out, &length, sizeof out, text, sizeof text) == SECFailure &&
                PK11_DigestFinal(gone, out, &last, sizeof out) == SECFailure;
    PK11_DestroyContext(gone, PR_TRUE);
    return fail;
}

int snippet(void) {
    init();
    PK11SymKey *key = import(1);
    PK11Context *kept = create(key, CKA_ENCRYPT);
    message("before", kept);
    PK11_FreeSymKey(key);
    print_shutdown("with it");
    CALL("init with it", NSS_NoDB_Init(NULL));
    PK11_DestroyContext(kept, PR_TRUE);
    CALL("init without it", NSS_NoDB_Init(NULL));
    hammer("again", 1);
    printf("it is gone: %d\n", !is_handle(kept) || all_fail(kept));
    hammer("again", 1);
    hammer("another key", 2);
    print_shutdown("end");
    return 0;
}
