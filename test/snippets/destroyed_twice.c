/* ceph#6698: after bad padding the context is destroyed twice. The next owners, who may have the same engine, must
 * not notice. Bare NSS frees memory twice there, so this is only done to a handle.
 * Tried: record_enter and record_enter_slow without the comparison of generations: the next owners lose their
 * context in mid-message (-8187), and their answers are wrong.
 * counts: stale_handles=20 second_destroys=20 */
#include "snippet.h"

int snippet(void) {
    unsigned char wanted[32], out[2][32];
    init();
    PK11SymKey *key = import(1);
    first_answer(key, wanted);
    for (int i = 0; i < 20; i++) {
        int length[2] = {0, 0};
        unsigned last[2] = {0, 0};
        PK11Context *gone = create(key, CKA_ENCRYPT), *two[2];
        PK11_DestroyContext(gone, PR_TRUE);
        two[0] = create(key, CKA_ENCRYPT);
        if (is_handle(gone))
            PK11_DestroyContext(gone, PR_TRUE);
        two[1] = create(key, CKA_ENCRYPT);
        printf("two contexts: %d\n", two[0] != two[1]);
        for (int j = 0; j < 2; j++)
            PK11_CipherOp(two[j], out[j], &length[j], 32, (const unsigned char *)"a message of twenty-nine byte", 29);
        for (int j = 0; j < 2; j++) {
            CALL("final", PK11_DigestFinal(two[j], out[j] + 16, &last[j], 16));
            printf("right: %d\n", length[j] == 16 && memcmp(out[j], wanted, 32) == 0);
            PK11_DestroyContext(two[j], PR_TRUE);
        }
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
