/* corosync's knet with crypto_model nss, per packet: a context for AES-256-CBC with a random IV, and one for the HMAC. The two keys are
 * brought in once by PK11_UnwrapSymKey, as crypto_nss.c of kronosnet does, so that they were never imported from raw bytes. */
#include "nss_life.h"
#include "workload.h"

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <stdlib.h>
#include <string.h>

enum { HASH = 32 };

struct kept {
    unsigned count;
    struct {
        PK11SymKey *cipher, *sign;
    } keys[];
};

/* Wrap the raw bytes under a throw-away key and unwrap them into the token. */
static PK11SymKey *bring_in(const unsigned char *bytes, CK_MECHANISM_TYPE target, CK_ATTRIBUTE_TYPE operation) {
    unsigned char wrapped[64];
    int length = 0;
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_ECB, NULL);
    PK11SymKey *wrapper = slot ? PK11_KeyGen(slot, CKM_AES_KEY_GEN, NULL, 32, NULL) : NULL;
    SECItem none = {siBuffer, NULL, 0};
    PK11Context *context = wrapper ? PK11_CreateContextBySymKey(CKM_AES_ECB, CKA_ENCRYPT, wrapper, &none) : NULL;
    PK11SymKey *key = NULL;
    if (context && PK11_CipherOp(context, wrapped, &length, sizeof wrapped, bytes, 32) == SECSuccess) {
        SECItem item = {siBuffer, wrapped, (unsigned)length};
        key = PK11_UnwrapSymKey(wrapper, CKM_AES_ECB, &none, &item, target, operation, 32);
    }
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (wrapper)
        PK11_FreeSymKey(wrapper);
    if (slot)
        PK11_FreeSlot(slot);
    return key;
}

static void end(void *state) {
    struct kept *kept = state;
    for (unsigned i = 0; i < kept->count; i++) {
        PK11_FreeSymKey(kept->keys[i].cipher);
        PK11_FreeSymKey(kept->keys[i].sign);
    }
    free(kept);
}

static void *begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt) {
    (void)key_bytes;
    struct kept *kept = calloc(1, sizeof *kept + keys * sizeof kept->keys[0]);
    while (kept && kept->count < keys) {
        unsigned i = kept->count;
        kept->keys[i].cipher = bring_in(key[i], CKM_AES_CBC_PAD, decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
        kept->keys[i].sign = bring_in(key[i], CKM_SHA256_HMAC, CKA_SIGN);
        if (!kept->keys[i].cipher || !kept->keys[i].sign) {
            workload_failed("PK11_UnwrapSymKey", PR_GetError());
            end(kept);
            return NULL;
        }
        kept->count++;
    }
    return kept;
}

static bool sign(PK11SymKey *key, const unsigned char *data, int length, unsigned char *out) {
    SECItem none = {siBuffer, NULL, 0};
    unsigned written = 0;
    PK11Context *context = PK11_CreateContextBySymKey(CKM_SHA256_HMAC, CKA_SIGN, key, &none);
    bool fine = context && PK11_DigestBegin(context) == SECSuccess &&
                PK11_DigestOp(context, data, (unsigned)length) == SECSuccess &&
                PK11_DigestFinal(context, out, &written, HASH) == SECSuccess && written == HASH;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    return fine || workload_failed("the HMAC", PR_GetError());
}

static bool crypt(PK11SymKey *key, struct message *m, int length) {
    SECItem param = {siBuffer, (unsigned char *)m->iv, WORKLOAD_IV};
    unsigned last = 0;
    int written = 0;
    PK11Context *context =
        PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, m->decrypt ? CKA_DECRYPT : CKA_ENCRYPT, key, &param);
    bool fine = context &&
                PK11_CipherOp(context, m->out, &written, length + WORKLOAD_SLACK, m->in, length) == SECSuccess &&
                PK11_DigestFinal(context, m->out + written, &last, 16) == SECSuccess;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    m->out_length = written + (int)last;
    return fine || workload_failed("the cipher", PR_GetError());
}

static bool run(void *state, struct message *m) {
    struct kept *kept = state;
    unsigned char hash[HASH];
    PK11SymKey *cipher = kept->keys[m->key_index].cipher, *signer = kept->keys[m->key_index].sign;
    if (!m->decrypt) {
        if (!crypt(cipher, m, m->length) || !sign(signer, m->out, m->out_length, m->out + m->out_length))
            return false;
        m->out_length += HASH;
        return true;
    }
    int length = m->length - HASH;
    if (!sign(signer, m->in, length, hash))
        return false;
    if (memcmp(hash, m->in + length, HASH))
        return workload_failed("the check of a packet's HMAC", 0);
    return crypt(cipher, m, length);
}

int main(int argc, char **argv) {
    const struct sequence knet = {.name = "knet", .key_bytes = 32, .padded = true, .new_iv = true, .signs = true,
                                  .init = nss_life_nodb_init, .shutdown = nss_life_shutdown,
                                  .begin = begin, .end = end, .run = run};
    return workload_main(argc, argv, &knet);
}
