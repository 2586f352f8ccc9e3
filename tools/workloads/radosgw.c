/* radosgw's server-side encryption (SSE-C), per 4 KiB of an object: the key is imported with CKA_UNWRAP, the IV counts
 * up and is handed over as 32 bytes, one PK11_CipherOp without padding, no PK11_DigestFinal. NSS by NSS_InitContext, as
 * Ceph starts it. */
#include "workload.h"

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <string.h>

static NSSInitContext *nss;

static bool start_nss(void) {
    NSSInitParameters parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.length = sizeof parameters;
    nss = NSS_InitContext("", "", "", SECMOD_DB, &parameters,
                          NSS_INIT_READONLY | NSS_INIT_NOCERTDB | NSS_INIT_NOMODDB | NSS_INIT_PK11RELOAD);
    return nss || workload_failed("NSS_InitContext", PR_GetError());
}

static bool stop_nss(void) {
    return NSS_ShutdownContext(nss) == SECSuccess || workload_failed("NSS_ShutdownContext", PR_GetError());
}

static bool run(void *state, struct message *m) {
    (void)state;
    unsigned char iv[32] = {0};
    memcpy(iv, m->iv, WORKLOAD_IV);
    SECItem key_item = {siBuffer, (unsigned char *)m->key, 32}, iv_item = {siBuffer, iv, sizeof iv};
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC, NULL);
    if (!slot)
        return workload_failed("PK11_GetBestSlot", PR_GetError());
    PK11SymKey *key = PK11_ImportSymKey(slot, CKM_AES_CBC, PK11_OriginUnwrap, CKA_UNWRAP, &key_item, NULL);
    SECItem *param = key ? PK11_ParamFromIV(CKM_AES_CBC, &iv_item) : NULL;
    PK11Context *context =
        param ? PK11_CreateContextBySymKey(CKM_AES_CBC, m->decrypt ? CKA_DECRYPT : CKA_ENCRYPT, key, param) : NULL;
    bool fine = context && PK11_CipherOp(context, m->out, &m->out_length, m->length, m->in, m->length) == SECSuccess;
    if (!fine)
        workload_failed("the context or PK11_CipherOp", PR_GetError());
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (param)
        SECITEM_FreeItem(param, PR_TRUE);
    if (key)
        PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
    return fine;
}

int main(int argc, char **argv) {
    const struct sequence radosgw = {
        .name = "radosgw", .key_bytes = 32, .iv = IV_COUNTS, .init = start_nss, .shutdown = stop_nss, .run = run};
    return workload_main(argc, argv, &radosgw);
}
