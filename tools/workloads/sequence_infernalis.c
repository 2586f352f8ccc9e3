/* Ceph 9.x to 13.x (Infernalis to Mimic, the "wip-auth" change): slot, key and IV are kept by the daemon, a context is
 * made for every message. */
#include "nss_life.h"
#include "sequences.h"

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <stdlib.h>

struct kept {
    PK11SlotInfo *slot;
    SECItem *param;
    unsigned count;
    PK11SymKey *keys[];
};

static void end(void *state) {
    struct kept *kept = state;
    for (unsigned i = 0; i < kept->count; i++)
        PK11_FreeSymKey(kept->keys[i]);
    if (kept->param)
        SECITEM_FreeItem(kept->param, PR_TRUE);
    if (kept->slot)
        PK11_FreeSlot(kept->slot);
    free(kept);
}

static void *begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt) {
    (void)decrypt;
    struct kept *kept = calloc(1, sizeof *kept + keys * sizeof kept->keys[0]);
    if (!kept)
        return NULL;
    SECItem iv = {siBuffer, (unsigned char *)"cephsageyudagreg", 17};
    kept->slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    kept->param = PK11_ParamFromIV(CKM_AES_CBC_PAD, &iv);
    while (kept->slot && kept->param && kept->count < keys) {
        SECItem item = {siBuffer, (unsigned char *)key[kept->count], key_bytes};
        PK11SymKey *made = PK11_ImportSymKey(kept->slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
        if (!made)
            break;
        kept->keys[kept->count++] = made;
    }
    if (kept->count == keys)
        return kept;
    workload_failed("PK11_ImportSymKey", PR_GetError());
    end(kept);
    return NULL;
}

static bool run(void *state, struct message *m) {
    struct kept *kept = state;
    int written = 0;
    unsigned last = 0;
    PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, m->decrypt ? CKA_DECRYPT : CKA_ENCRYPT,
                                                      kept->keys[m->key_index], kept->param);
    if (!context)
        return workload_failed("PK11_CreateContextBySymKey", PR_GetError());
    bool fine = PK11_CipherOp(context, m->out, &written, m->length + WORKLOAD_SLACK, m->in, m->length) == SECSuccess &&
                PK11_DigestFinal(context, m->out + written, &last, (unsigned)(m->length + WORKLOAD_SLACK - written)) ==
                    SECSuccess;
    if (!fine)
        workload_failed("PK11_CipherOp or PK11_DigestFinal", PR_GetError());
    PK11_DestroyContext(context, PR_TRUE);
    m->out_length = written + (int)last;
    return fine;
}

const struct sequence sequence_infernalis = {.name = "infernalis",
                                             .key_bytes = 16,
                                             .padded = true,
                                             .init = nss_life_nodb_init,
                                             .shutdown = nss_life_shutdown,
                                             .begin = begin,
                                             .end = end,
                                             .run = run};
