/* More keys than one thread keeps at hand, twice round: each its own answer.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    for (int round = 0; round < 2; round++) {
        unsigned sum = 0;
        for (unsigned length = 16; length <= 32; length += 8)
            for (unsigned seed = 0; seed < 256; seed++) {
                unsigned char out[32];
                PK11SymKey *key = key_for(CKM_AES_CBC_PAD, CKA_ENCRYPT, (unsigned char)seed, length);
                first_answer(key, out);
                PK11_FreeSymKey(key);
                for (int i = 0; i < 32; i++)
                    sum = sum * 31 + out[i];
            }
        printf("all of them: %08x\n", sum);
    }
    print_shutdown("end");
    return 0;
}
