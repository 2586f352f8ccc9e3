/* radosgw: one key, and for every chunk an IV of its own; two chunks under way at once.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    unsigned char chunk[4096], out[2][4096];
    memset(chunk, 'c', sizeof chunk);
    init();
    PK11SymKey *key = key_for(CKM_AES_CBC, CKA_ENCRYPT, 7, 32);
    for (unsigned char i = 0; i < 10; i++) {
        PK11Context *pair[2];
        int length[2] = {0, 0};
        for (unsigned char j = 0; j < 2; j++) {
            unsigned char iv[16] = {i, j};
            SECItem param = {siBuffer, iv, sizeof iv};
            pair[j] = PK11_CreateContextBySymKey(CKM_AES_CBC, CKA_ENCRYPT, key, &param);
        }
        for (int part = 0; part < 4096; part += 1024)
            for (int j = 0; j < 2; j++)
                if (PK11_CipherOp(pair[j], out[j] + part, &length[j], 1024, chunk + part, 1024) != SECSuccess)
                    printf("error %d\n", PR_GetError());
        for (int j = 0; j < 2; j++) {
            bytes("the end of a chunk", out[j] + 4080, 16);
            PK11_DestroyContext(pair[j], PR_TRUE);
        }
    }
    PK11_FreeSymKey(key);
    hammer("the next", 1);
    hammer("the next", 1);
    print_shutdown("end");
    return 0;
}
