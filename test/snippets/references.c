/* References to a key and a slot, given back in an odd order: a context holds its own.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    for (int i = 0; i < 3; i++) {
        PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL), *second = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
        printf("the same slot: %d\n", slot == second);
        PK11SymKey *key = import(1), *also = PK11_ReferenceSymKey(key);
        PK11SlotInfo *of_key = PK11_GetSlotFromKey(key);
        printf("the key's: %d\n", of_key == slot);
        PK11_FreeSlot(slot);
        PK11_FreeSlot(of_key);
        PK11Context *context = create(key, CKA_ENCRYPT);
        PK11_FreeSymKey(also);
        PK11_FreeSymKey(key);
        message("without its key", context);
        printf("internal: %d\n", PK11_IsInternal(second));
        PK11_FreeSlot(second);
        PK11_DestroyContext(context, PR_TRUE);
    }
    print_shutdown("end");
    return 0;
}
