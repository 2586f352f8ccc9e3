/* Making and destroying contexts. */
#include "hooks/hook.h"
#include "hooks/handle.h"

HOOKED PK11Context *PK11_CreateContextBySymKey(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key,
                                               const SECItem *param) {
    if (likely(hook_active() && key)) {
        struct request request = {.mechanism = type, .operation = operation, .sym = key, .param = param};
        return cache_create(&request);
    }
    hook_count_inactive(HOOK_CREATE);
    return REAL(PK11_CreateContextBySymKey)(type, operation, key, param);
}

HOOKED PK11Context *PK11_CreateDigestContext(SECOidTag digest) {
    if (likely(hook_active())) {
        struct request request = {.operation = CKA_DIGEST, .digest = digest};
        return cache_create(&request);
    }
    hook_count_inactive(HOOK_CREATE);
    return REAL(PK11_CreateDigestContext)(digest);
}

/* Contexts of public and private keys don't hold their key: never pooled. */
HOOKED PK11Context *PK11_CreateContextByPubKey(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, void *key,
                                               const SECItem *param, void *pwarg) {
    return REAL(PK11_CreateContextByPubKey)(type, operation, key, param, pwarg);
}

HOOKED PK11Context *PK11_CreateContextByPrivKey(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, void *key,
                                                const SECItem *param) {
    return REAL(PK11_CreateContextByPrivKey)(type, operation, key, param);
}

/* These two are made of PK11_GetBestSlot, PK11_ImportSymKey and PK11_CreateContextBySymKey, which they call through
 * libnss3's PLT: they are served there, and return a handle. */
HOOKED PK11Context *__PK11_CreateContextByRawKey(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin,
                                                 CK_ATTRIBUTE_TYPE operation, SECItem *key, SECItem *param,
                                                 void *wincx) {
    return REAL(__PK11_CreateContextByRawKey)(slot, type, origin, operation, key, param, wincx);
}

HOOKED PK11Context *PK11_CreateContextByRawKey(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin,
                                               CK_ATTRIBUTE_TYPE operation, SECItem *key, SECItem *param, void *wincx) {
    return REAL(PK11_CreateContextByRawKey)(slot, type, origin, operation, key, param, wincx);
}

HOOKED PK11Context *PK11_CloneContext(PK11Context *context) {
    PASS_HANDLE(PK11_CloneContext, PK11Context *, NULL, (PASSED));
}

HOOKED void PK11_DestroyContext(PK11Context *context, PRBool freeit) {
    if (likely(record_is_handle(context)))
        cache_destroy(context);
    else
        REAL(PK11_DestroyContext)(context, freeit);
}
