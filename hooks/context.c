/* Making and destroying contexts. */
#include "hooks/hook.h"
#include "hooks/handle.h"

PK11Context *hook_create(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key, const SECItem *param) {
    if (likely(hook_active() && key)) {
        struct request request = {.mechanism = type, .operation = operation, .sym = key, .param = param};
        return cache_create(&request);
    }
    hook_count_inactive(HOOK_CREATE, type, operation);
    return REAL(PK11_CreateContextBySymKey)(type, operation, key, param);
}

SAMPLED_HOOK(create, PK11_CreateContextBySymKey, PK11Context *,
             (CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key, const SECItem *param), hook_create,
             (type, operation, key, param), type, operation)

PK11Context *hook_create_digest(SECOidTag digest) {
    if (likely(hook_active())) {
        struct request request = {.operation = CKA_DIGEST, .digest = digest};
        return cache_create(&request);
    }
    hook_count_inactive(HOOK_CREATE, digest, CKA_DIGEST);
    return REAL(PK11_CreateDigestContext)(digest);
}

#define SAMPLED_create_digest SAMPLED_create
SAMPLED_HOOK(create_digest, PK11_CreateDigestContext, PK11Context *, (SECOidTag digest), hook_create_digest, (digest),
             digest, CKA_DIGEST)

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

static __attribute__((noinline, cold)) void sampled_destroy(PK11Context *handle) {
    struct sample sample = sample_begin(SAMPLED_destroy);
    cache_destroy(handle);
    sample_end(&sample, 0, 0);
}

HOOKED void PK11_DestroyContext(PK11Context *context, PRBool freeit) {
    if (experiment_running())
        experiment_destroy_hook(context, freeit);
    else if (unlikely(!record_is_handle(context)))
        REAL(PK11_DestroyContext)(context, freeit);
    else if (sample_due())
        sampled_destroy(context);
    else
        cache_destroy(context);
}
