/* Slots: PK11_GetBestSlot, PK11_FreeSlot. */
#include "hooks/hook.h"

HOOKED PK11SlotInfo *PK11_GetBestSlot(CK_MECHANISM_TYPE type, void *wincx) {
    if (likely(hook_active()))
        return cache_best_slot(type, wincx);
    hook_count_inactive(HOOK_BEST_SLOT);
    return REAL(PK11_GetBestSlot)(type, wincx);
}

HOOKED void PK11_FreeSlot(PK11SlotInfo *slot) {
    if (hook_active() && slot && cache_take_slot(slot))
        return;
    REAL(PK11_FreeSlot)(slot);
}
