/* The sequence of Ceph's 9.x to 13.x: slot, key and IV are kept by the program.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 5; i++) {
        PK11Context *context = create(key, CKA_ENCRYPT);
        message("message", context);
        PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
