/* Ceph 0.48 to 0.94 (Bobtail to Hammer), CryptoKey::encrypt and decrypt: everything is rebuilt for every message. The
 * key is imported with CKA_ENCRYPT also to decrypt, and the 16-byte IV is handed over as 17 bytes (the sizeof of a
 * string). */
#include "nss_life.h"
#include "sequences.h"

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>

static const char iv_text[] = "cephsageyudagreg";

static bool crypt(PK11SymKey *key, SECItem *param, struct message *m) {
    int written = 0;
    unsigned last = 0;
    PK11Context *context =
        PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, m->decrypt ? CKA_DECRYPT : CKA_ENCRYPT, key, param);
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

static bool run(void *state, struct message *m) {
    (void)state;
    SECItem key_item = {siBuffer, (unsigned char *)m->key, 16};
    SECItem iv_item = {siBuffer, (unsigned char *)iv_text, sizeof iv_text};
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    if (!slot)
        return workload_failed("PK11_GetBestSlot", PR_GetError());
    PK11SymKey *key = PK11_ImportSymKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &key_item, NULL);
    SECItem *param = key ? PK11_ParamFromIV(CKM_AES_CBC_PAD, &iv_item) : NULL;
    bool fine = param ? crypt(key, param, m) : workload_failed("PK11_ImportSymKey", PR_GetError());
    if (param)
        SECITEM_FreeItem(param, PR_TRUE);
    if (key)
        PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
    return fine;
}

const struct sequence sequence_hammer = {.name = "hammer",
                                         .key_bytes = 16,
                                         .padded = true,
                                         .init = nss_life_nodb_init,
                                         .shutdown = nss_life_shutdown,
                                         .run = run};
