/* Slots: PK11_GetBestSlot, PK11_FreeSlot. */
#include "hooks/hook.h"

PK11SlotInfo *hook_best_slot(CK_MECHANISM_TYPE type, void *wincx) {
    if (likely(hook_active()))
        return cache_best_slot(type, wincx);
    hook_count_inactive(HOOK_BEST_SLOT, type, 0);
    return REAL(PK11_GetBestSlot)(type, wincx);
}

SAMPLED_HOOK(best_slot, PK11_GetBestSlot, PK11SlotInfo *, (CK_MECHANISM_TYPE type, void *wincx), hook_best_slot,
             (type, wincx), type, 0)

HOOKED void PK11_FreeSlot(PK11SlotInfo *slot) {
    if (hook_active() && slot && cache_take_slot(slot))
        return;
    REAL(PK11_FreeSlot)(slot);
}
