/* PR_GetError after each call, from an error that was there before: who sets it to 0, who leaves it alone.
 * counts: hits */
#include "snippet.h"

#define LEAVES(what, call)                                                                                             \
    (PR_SetError(-4711, 22), (call), printf("%s: %d, %d\n", what, PR_GetError(), PR_GetOSError()))

int snippet(void) {
    unsigned char data[16] = "sixteen is right", out[64];
    SECItem item = {siBuffer, data, sizeof data};
    init();
    for (int i = 0; i < 3; i++) {
        PK11SlotInfo *slot = NULL;
        PK11SymKey *key = NULL;
        PK11Context *context = NULL;
        int length = 0;
        unsigned last = 0;
        LEAVES("slot", slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL));
        LEAVES("import", key = PK11_ImportSymKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL));
        LEAVES("create", context = create(key, CKA_ENCRYPT));
        LEAVES("op", PK11_CipherOp(context, out, &length, sizeof out, data, 16));
        LEAVES("final", PK11_DigestFinal(context, out + length, &last, 16));
        LEAVES("begin", PK11_DigestBegin(context));
        LEAVES("op without room", PK11_CipherOp(context, out, &length, 1, data, 16));
        LEAVES("destroy", PK11_DestroyContext(context, PR_TRUE));
        LEAVES("reference", PK11_ReferenceSymKey(key));
        LEAVES("free", PK11_FreeSymKey(key));
        LEAVES("free the last", PK11_FreeSymKey(key));
        LEAVES("free the slot", PK11_FreeSlot(slot));
        LEAVES("a slot for nothing", slot = PK11_GetBestSlot(0x7fffffff, NULL));
        LEAVES("a context of no key", create(NULL, CKA_ENCRYPT));
    }
    print_shutdown("end");
    return 0;
}
