/* experiment.h - the hooks while an A/B experiment runs (stats/experiment.h): the same calls, bare or cached as the
 * operation's arm says. */
#ifndef PK11CACHE_HOOKS_EXPERIMENT_H
#define PK11CACHE_HOOKS_EXPERIMENT_H

#include "preload/real.h"

PK11SlotInfo *experiment_best_slot_hook(CK_MECHANISM_TYPE type, void *wincx);
PK11SymKey *experiment_import_hook(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin,
                                   CK_ATTRIBUTE_TYPE operation, SECItem *key, void *wincx);
PK11Context *experiment_create_hook(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key,
                                    const SECItem *param);
PK11Context *experiment_create_digest_hook(SECOidTag digest);
void experiment_free_key_hook(PK11SymKey *key);
void experiment_destroy_hook(PK11Context *context, PRBool freeit);
/* Before an operation of a context, a handle or not. */
void experiment_data_hook(const PK11Context *context, uint64_t bytes);

#endif
