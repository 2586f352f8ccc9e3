#include "hooks/experiment.h"
#include "hooks/hook.h"
#include "stats/outcome.h"

/* Calls inside a real call of ours, and while the cache is off or down, take no part. */
static bool takes_part(void) {
    return hook_active();
}

/* What the control arm does is NSS's own: nothing inside it is cached either. */
#define BARE(answer, call)                                                                                             \
    do {                                                                                                               \
        guard_enter();                                                                                                 \
        (answer) = call;                                                                                               \
        guard_leave();                                                                                                 \
    } while (0)

PK11SlotInfo *experiment_best_slot_hook(CK_MECHANISM_TYPE type, void *wincx) {
    PK11SlotInfo *slot;
    if (!takes_part() || !experiment_slot())
        return hook_best_slot(type, wincx);
    struct counters *c = magazine_counters();
    COUNT(c, best_slot_bypasses);
    COUNT(c, bypass_control);
    BARE(slot, real.PK11_GetBestSlot(type, wincx));
    return slot;
}

PK11SymKey *experiment_import_hook(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin,
                                   CK_ATTRIBUTE_TYPE operation, SECItem *data, void *wincx) {
    PK11SymKey *key;
    if (!takes_part())
        return hook_import(slot, type, origin, operation, data, wincx);
    if (experiment_import()) {
        struct counters *c = magazine_counters();
        COUNT(c, import_bypasses);
        COUNT(c, bypass_control);
        BARE(key, real.PK11_ImportSymKey(slot, type, origin, operation, data, wincx));
    } else {
        key = hook_import(slot, type, origin, operation, data, wincx);
    }
    experiment_imported(key);
    return key;
}

static void count_bare_create(void) {
    struct counters *c = magazine_counters();
    COUNT(c, create_bypasses);
    COUNT(c, bypass_control);
}

PK11Context *experiment_create_hook(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key,
                                    const SECItem *param) {
    PK11Context *context;
    if (!takes_part() || !key)
        return hook_create(type, operation, key, param);
    if (experiment_create(key, operation)) {
        count_bare_create();
        BARE(context, real.PK11_CreateContextBySymKey(type, operation, key, param));
    } else {
        context = hook_create(type, operation, key, param);
    }
    experiment_created(context);
    return context;
}

PK11Context *experiment_create_digest_hook(SECOidTag digest) {
    PK11Context *context;
    if (!takes_part())
        return hook_create_digest(digest);
    if (experiment_create(NULL, CKA_DIGEST)) {
        count_bare_create();
        BARE(context, real.PK11_CreateDigestContext(digest));
    } else {
        context = hook_create_digest(digest);
    }
    experiment_created(context);
    return context;
}

void experiment_data_hook(const PK11Context *context, uint64_t bytes) {
    if (takes_part())
        experiment_data(context, bytes);
}

void experiment_destroy_hook(PK11Context *context, PRBool freeit) {
    bool part = takes_part();
    if (record_is_handle(context)) {
        cache_destroy(context);
    } else if (part) { /* NSS frees the key in it by our hook: that is no end of the operation */
        guard_enter();
        real.PK11_DestroyContext(context, freeit);
        guard_leave();
    } else {
        REAL(PK11_DestroyContext)(context, freeit);
    }
    if (part)
        experiment_destroyed(context);
}

void experiment_free_key_hook(PK11SymKey *key) {
    bool part = takes_part() && key;
    if (part && experiment_key_is_bare(key)) {
        guard_enter();
        real.PK11_FreeSymKey(key);
        guard_leave();
    } else {
        hook_free_key(key);
    }
    if (part)
        experiment_key_freed(key);
}
