/* A live context at NSS_Shutdown: -8053. NSS stays as it is bare, and the context can still be destroyed.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    hammer("before", 1);
    hammer("before", 1);
    PK11SymKey *key = import(1);
    PK11Context *context = create(key, CKA_ENCRYPT);
    message("live", context);
    print_shutdown("with it");
    PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
    print_shutdown("without it");
    return 0;
}
