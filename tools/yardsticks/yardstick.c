/* The yardsticks beside the workloads: yardstick NAME [workload's options]. All do AES-128-CBC with PKCS#7 padding per
 * message.
 *
 * source-reuse: one PK11Context kept per key, PK11_DigestFinal then PK11_DigestBegin (what ceph#21537 tried);
 * openssl-evp:  EVP with the context kept, only the IV set again;
 * openssl-aes:  AES_cbc_encrypt with the key schedule kept (what Ceph moved to in Nautilus). */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "nss_life.h"
#include "workload.h"

#include <nss.h>
#include <openssl/aes.h>
#include <openssl/evp.h>
#include <pk11pub.h>
#include <prerror.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool nothing(void) {
    return true;
}

/* source-reuse */
struct reuse {
    PK11SlotInfo *slot;
    unsigned count;
    PK11Context *contexts[];
};

static void reuse_end(void *state) {
    struct reuse *r = state;
    for (unsigned i = 0; i < r->count; i++)
        PK11_DestroyContext(r->contexts[i], PR_TRUE);
    if (r->slot)
        PK11_FreeSlot(r->slot);
    free(r);
}

static void *reuse_begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt) {
    struct reuse *r = calloc(1, sizeof *r + keys * sizeof r->contexts[0]);
    if (!r)
        return NULL;
    if (!(r->slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL))) {
        workload_failed("PK11_GetBestSlot", PR_GetError());
        free(r);
        return NULL;
    }
    SECItem iv = {siBuffer, (unsigned char *)"cephsageyudagreg", 16};
    for (; r->count < keys; r->count++) {
        SECItem item = {siBuffer, (unsigned char *)key[r->count], key_bytes};
        PK11SymKey *sym = PK11_ImportSymKey(r->slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
        PK11Context *context =
            sym ? PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, decrypt ? CKA_DECRYPT : CKA_ENCRYPT, sym, &iv) : NULL;
        if (sym)
            PK11_FreeSymKey(sym);
        if (!context) {
            workload_failed("PK11_CreateContextBySymKey", PR_GetError());
            reuse_end(r);
            return NULL;
        }
        r->contexts[r->count] = context;
    }
    return r;
}

static bool reuse_run(void *state, struct message *m) {
    PK11Context *context = ((struct reuse *)state)->contexts[m->key_index];
    int written = 0;
    unsigned last = 0;
    bool fine = PK11_DigestBegin(context) == SECSuccess &&
                PK11_CipherOp(context, m->out, &written, m->length + WORKLOAD_SLACK, m->in, m->length) == SECSuccess &&
                PK11_DigestFinal(context, m->out + written, &last, 16) == SECSuccess;
    m->out_length = written + (int)last;
    return fine || workload_failed("the kept context", PR_GetError());
}

/* openssl-evp */
struct evp {
    unsigned count;
    EVP_CIPHER_CTX *contexts[];
};

static void evp_end(void *state) {
    struct evp *e = state;
    for (unsigned i = 0; i < e->count; i++)
        EVP_CIPHER_CTX_free(e->contexts[i]);
    free(e);
}

static void *evp_begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt) {
    (void)key_bytes;
    struct evp *e = calloc(1, sizeof *e + keys * sizeof e->contexts[0]);
    for (unsigned i = 0; e && i < keys; i++) {
        e->contexts[e->count++] = EVP_CIPHER_CTX_new();
        if (EVP_CipherInit_ex(e->contexts[i], EVP_aes_128_cbc(), NULL, key[i],
                              (const unsigned char *)"cephsageyudagreg", !decrypt) != 1) {
            evp_end(e);
            return NULL;
        }
    }
    return e;
}

static bool evp_run(void *state, struct message *m) {
    EVP_CIPHER_CTX *context = ((struct evp *)state)->contexts[m->key_index];
    int written = 0, last = 0;
    bool fine = EVP_CipherInit_ex(context, NULL, NULL, NULL, m->iv, -1) == 1 &&
                EVP_CipherUpdate(context, m->out, &written, m->in, m->length) == 1 &&
                EVP_CipherFinal_ex(context, m->out + written, &last) == 1;
    m->out_length = written + last;
    return fine || workload_failed("EVP", 0);
}

/* openssl-aes, with the copy and the padding that a caller of this interface has to do */
static void *aes_begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt) {
    AES_KEY *schedules = calloc(keys, sizeof *schedules);
    for (unsigned i = 0; schedules && i < keys; i++)
        (decrypt ? AES_set_decrypt_key : AES_set_encrypt_key)(key[i], (int)key_bytes * 8, &schedules[i]);
    return schedules;
}

static bool aes_run(void *state, struct message *m) {
    const AES_KEY *schedule = (const AES_KEY *)state + m->key_index;
    unsigned char iv[16];
    memcpy(iv, m->iv, sizeof iv);
    if (m->decrypt) {
        AES_cbc_encrypt(m->in, m->out, (size_t)m->length, schedule, iv, AES_DECRYPT);
        int pad = m->out[m->length - 1];
        m->out_length = m->length - pad;
        return pad >= 1 && pad <= 16;
    }
    size_t whole = (size_t)m->length & ~(size_t)15, rest = (size_t)m->length - whole;
    unsigned char last[16];
    memcpy(last, m->in + whole, rest);
    memset(last + rest, (int)(16 - rest), 16 - rest);
    if (whole)
        AES_cbc_encrypt(m->in, m->out, whole, schedule, iv, AES_ENCRYPT);
    AES_cbc_encrypt(last, m->out + whole, 16, schedule, iv, AES_ENCRYPT);
    m->out_length = (int)whole + 16;
    return true;
}

static const struct sequence yardsticks[] = {
    {.name = "source-reuse",
     .key_bytes = 16,
     .padded = true,
     .init = nss_life_nodb_init,
     .shutdown = nss_life_shutdown,
     .begin = reuse_begin,
     .end = reuse_end,
     .run = reuse_run},
    {.name = "openssl-evp",
     .key_bytes = 16,
     .padded = true,
     .init = nothing,
     .shutdown = nothing,
     .begin = evp_begin,
     .end = evp_end,
     .run = evp_run},
    {.name = "openssl-aes",
     .key_bytes = 16,
     .padded = true,
     .init = nothing,
     .shutdown = nothing,
     .begin = aes_begin,
     .end = free,
     .run = aes_run},
};

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof yardsticks / sizeof *yardsticks; i++)
        if (strcmp(argv[1], yardsticks[i].name) == 0)
            return workload_main(argc - 1, argv + 1, &yardsticks[i]);
    fprintf(stderr, "usage: yardstick source-reuse|openssl-evp|openssl-aes [options of a workload]\n");
    return 2;
}
