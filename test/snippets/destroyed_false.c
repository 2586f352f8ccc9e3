/* PK11_DestroyContext(context, PR_FALSE): what is in it goes, the few bytes of the struct are the caller's (a leak,
 * with bare NSS). Nothing else changes.
 * counts: hits handles_destroyed=31 */
#include "snippet.h"

int snippet(void) {
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 30; i++) {
        PK11Context *context = create(key, CKA_ENCRYPT);
        if (i % 10 == 0)
            message("message", context);
        PK11_DestroyContext(context, PR_FALSE);
    }
    PK11_FreeSymKey(key);
    hammer("after", 1);
    print_shutdown("end");
    return 0;
}
