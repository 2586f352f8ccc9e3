/* A handle whose place has had thousands of owners since: it is still known as stale.
 * Tried: as destroyed_twice.c: its successor is destroyed in its place.
 * counts: stale_handles=200 */
#include "snippet.h"

int snippet(void) {
    unsigned char wanted[32];
    int right = 0;
    init();
    PK11SymKey *key = import(1);
    first_answer(key, wanted);
    PK11Context *gone = create(key, CKA_ENCRYPT);
    PK11_DestroyContext(gone, PR_TRUE);
    for (int i = 0; i < 5000; i++) {
        right += encrypts(key, wanted);
        if (i % 25)
            continue;
        PK11Context *next = create(key, CKA_ENCRYPT);
        if (is_handle(gone))
            PK11_DestroyContext(gone, PR_TRUE);
        message("its successor", next);
        PK11_DestroyContext(next, PR_TRUE);
    }
    printf("right: %d\n", right);
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
