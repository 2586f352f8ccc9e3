/* corosync's knet with crypto_model nss, per packet: a context for AES-256-CBC with a random IV, and one for the HMAC.
 * A packet is the IV (knet: salt), the cipher text, and the HMAC of both. The two keys are brought in once by
 * PK11_UnwrapSymKey, as crypto_nss.c of kronosnet does, so that they were never imported from raw bytes. (The frame
 * makes the IV; knet takes it from PK11_GenerateRandom.) */
#include "nss_life.h"
#include "workload.h"

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <stdlib.h>
#include <string.h>

struct kept {
    unsigned count;
    struct {
        PK11SymKey *cipher, *sign;
    } keys[];
};

/* The raw bytes, encrypted under a throw-away key. */
static bool wrap(PK11SymKey *wrapper, CK_MECHANISM_TYPE mechanism, const unsigned char *bytes, SECItem *wrapped) {
    SECItem none = {siBuffer, NULL, 0};
    int length = 0;
    PK11Context *context = PK11_CreateContextBySymKey(mechanism, CKA_ENCRYPT, wrapper, &none);
    bool fine = context && PK11_CipherOp(context, wrapped->data, &length, (int)wrapped->len, bytes, 32) == SECSuccess &&
                PK11_Finalize(context) == SECSuccess;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    wrapped->len = (unsigned)length;
    return fine;
}

static PK11SymKey *bring_in(const unsigned char *bytes, CK_MECHANISM_TYPE target, CK_ATTRIBUTE_TYPE operation) {
    unsigned char room[64];
    SECItem wrapped = {siBuffer, room, sizeof room}, none = {siBuffer, NULL, 0};
    PK11SlotInfo *slot = PK11_GetBestSlot(target, NULL);
    if (!slot)
        return NULL;
    CK_MECHANISM_TYPE mechanism = PK11_GetBestWrapMechanism(slot);
    PK11SymKey *wrapper = PK11_KeyGen(slot, mechanism, NULL, PK11_GetBestKeyLength(slot, mechanism), NULL), *key = NULL;
    if (wrapper && wrap(wrapper, mechanism, bytes, &wrapped))
        key = PK11_UnwrapSymKey(wrapper, mechanism, &none, &wrapped, target, operation, 32);
    if (wrapper)
        PK11_FreeSymKey(wrapper);
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
    (void)key_bytes, (void)decrypt;
    struct kept *kept = calloc(1, sizeof *kept + keys * sizeof kept->keys[0]);
    while (kept && kept->count < keys) {
        unsigned i = kept->count;
        kept->keys[i].cipher = bring_in(key[i], CKM_AES_CBC_PAD, CKA_ENCRYPT | CKA_DECRYPT);
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
                PK11_DigestFinal(context, out, &written, WORKLOAD_HASH) == SECSuccess && written == WORKLOAD_HASH;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    return fine || workload_failed("the HMAC", PR_GetError());
}

/* The sender makes its parameter by PK11_ParamFromIV, the receiver points into the packet. */
static bool crypt(PK11SymKey *key, const struct message *m, const unsigned char *in, int length, unsigned char *out,
                  int *out_length) {
    SECItem iv = {siBuffer, (unsigned char *)(m->decrypt ? m->in : m->iv), WORKLOAD_IV};
    SECItem *param = m->decrypt ? &iv : PK11_ParamFromIV(CKM_AES_CBC_PAD, &iv);
    unsigned last = 0;
    int written = 0, room = length + WORKLOAD_IV;
    PK11Context *context =
        param ? PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, m->decrypt ? CKA_DECRYPT : CKA_ENCRYPT, key, param) : NULL;
    bool fine = context && PK11_CipherOp(context, out, &written, room, in, length) == SECSuccess &&
                PK11_DigestFinal(context, out + written, &last, (unsigned)(room - written)) == SECSuccess;
    if (!fine)
        workload_failed("the cipher", PR_GetError());
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (param && param != &iv)
        SECITEM_FreeItem(param, PR_TRUE);
    *out_length = written + (int)last;
    return fine;
}

static bool send_packet(PK11SymKey *cipher, PK11SymKey *signer, struct message *m) {
    int length = 0;
    memcpy(m->out, m->iv, WORKLOAD_IV);
    if (!crypt(cipher, m, m->in, m->length, m->out + WORKLOAD_IV, &length))
        return false;
    length += WORKLOAD_IV;
    m->out_length = length + WORKLOAD_HASH;
    return sign(signer, m->out, length, m->out + length);
}

static bool receive_packet(PK11SymKey *cipher, PK11SymKey *signer, struct message *m) {
    unsigned char hash[WORKLOAD_HASH];
    int length = m->length - WORKLOAD_HASH;
    if (!sign(signer, m->in, length, hash))
        return false;
    if (memcmp(hash, m->in + length, WORKLOAD_HASH) != 0)
        return workload_failed("the check of a packet's HMAC", 0);
    return crypt(cipher, m, m->in + WORKLOAD_IV, length - WORKLOAD_IV, m->out, &m->out_length);
}

static bool run(void *state, struct message *m) {
    struct kept *kept = state;
    PK11SymKey *cipher = kept->keys[m->key_index].cipher, *signer = kept->keys[m->key_index].sign;
    return m->decrypt ? receive_packet(cipher, signer, m) : send_packet(cipher, signer, m);
}

int main(int argc, char **argv) {
    const struct sequence knet = {.name = "knet",
                                  .key_bytes = 32,
                                  .padded = true,
                                  .iv = IV_RANDOM,
                                  .packets = true,
                                  .init = nss_life_nodb_init,
                                  .shutdown = nss_life_shutdown,
                                  .begin = begin,
                                  .end = end,
                                  .run = run};
    return workload_main(argc, argv, &knet);
}
