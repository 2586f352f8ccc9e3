/* A context straight from raw bytes, which NSS makes of the other calls.
 * counts: create_hits */
#include "snippet.h"

PK11Context *__PK11_CreateContextByRawKey(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin,
                                          CK_ATTRIBUTE_TYPE operation, SECItem *key, SECItem *param, void *wincx);

int snippet(void) {
    unsigned char data[16] = "sixteen is right", iv[16] = "fifteen letters";
    SECItem key = {siBuffer, data, sizeof data}, param = {siBuffer, iv, sizeof iv};
    init();
    for (int i = 0; i < 3; i++) {
        PK11SlotInfo *slot = PK11_GetInternalSlot();
        PK11Context *context =
            __PK11_CreateContextByRawKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &key, &param, NULL);
        message("message", context);
        PK11_DestroyContext(context, PR_TRUE);
        PK11_FreeSlot(slot);
    }
    print_shutdown("end");
    return 0;
}
