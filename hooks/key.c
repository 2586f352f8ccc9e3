/* Symmetric keys: import and free, and the functions by which the program gets at a key. */
#include "hooks/hook.h"

PK11SymKey *hook_import(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin, CK_ATTRIBUTE_TYPE operation,
                        SECItem *key, void *wincx) {
    if (likely(hook_active())) {
        struct identity identity = {slot, type, origin, operation, wincx};
        return cache_import(&identity, key);
    }
    hook_count_inactive(HOOK_IMPORT, type, operation);
    return REAL(PK11_ImportSymKey)(slot, type, origin, operation, key, wincx);
}

SAMPLED_HOOK(import, PK11_ImportSymKey, PK11SymKey *,
             (PK11SlotInfo * slot, CK_MECHANISM_TYPE type, PK11Origin origin, CK_ATTRIBUTE_TYPE operation, SECItem *key,
              void *wincx),
             hook_import, (slot, type, origin, operation, key, wincx), type, operation)

void hook_free_key(PK11SymKey *key) {
    if (hook_active() && key && cache_take_key(key))
        return;
    REAL(PK11_FreeSymKey)(key);
}

SAMPLED_HOOK_VOID(free_key, PK11_FreeSymKey, (PK11SymKey * key), hook_free_key, (key))

/* The program may change what it gets at, or count on when it goes: such a key leaves the cache. While the engine is
 * off too: the cache may not be empty yet. */
static void forget(PK11SymKey *key) {
    if (key && (hook_active() || (!thread_self.guard && root_mode() == MODE_OFF && root_keys_live())))
        cache_forget(key);
}

HOOKED SECItem *PK11_GetKeyData(PK11SymKey *key) {
    forget(key);
    return REAL(PK11_GetKeyData)(key);
}

HOOKED SECItem *__PK11_GetKeyData(PK11SymKey *key) {
    forget(key);
    return REAL(__PK11_GetKeyData)(key);
}

HOOKED void PK11_SetSymKeyUserData(PK11SymKey *key, void *data, PK11FreeDataFunc freefunc) {
    forget(key);
    REAL(PK11_SetSymKeyUserData)(key, data, freefunc);
}

HOOKED SECStatus PK11_SetSymKeyNickname(PK11SymKey *key, const char *nickname) {
    forget(key);
    return REAL(PK11_SetSymKeyNickname)(key, nickname);
}

HOOKED SECStatus PK11_WriteRawAttribute(int type, void *object, CK_ATTRIBUTE_TYPE attribute, SECItem *item) {
    forget(object); /* a pointer that is no cached key is not found */
    return REAL(PK11_WriteRawAttribute)(type, object, attribute, item);
}

HOOKED SECStatus PK11_DeleteTokenSymKey(PK11SymKey *key) {
    forget(key);
    return REAL(PK11_DeleteTokenSymKey)(key);
}
