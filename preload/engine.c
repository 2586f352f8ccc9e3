#include "preload/engine.h"
#include "preload/copy.h"
#include "preload/magazine.h"
#include "preload/mutation.h"
#include "preload/options.h"
#include "preload/stream.h"

bool engine_can_reset(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation) {
    switch (mechanism) {
    case CKM_MD5_HMAC:
    case CKM_SHA_1_HMAC:
    case CKM_SHA224_HMAC:
    case CKM_SHA256_HMAC:
    case CKM_SHA384_HMAC:
    case CKM_SHA512_HMAC:
        return operation == CKA_SIGN;
    case CKM_AES_ECB:
    case CKM_AES_CBC:
    case CKM_AES_CBC_PAD:
    case CKM_AES_CTR:
    case CKM_DES_ECB:
    case CKM_DES_CBC:
    case CKM_DES_CBC_PAD:
    case CKM_DES3_ECB:
    case CKM_DES3_CBC:
    case CKM_DES3_CBC_PAD:
    case CKM_CAMELLIA_ECB:
    case CKM_CAMELLIA_CBC:
    case CKM_CAMELLIA_CBC_PAD:
    case CKM_SEED_ECB:
    case CKM_SEED_CBC:
    case CKM_SEED_CBC_PAD:
        return operation == CKA_ENCRYPT || operation == CKA_DECRYPT;
    default:
        return false; /* GCM and other single-part mechanisms can't be reset */
    }
}

/* Block modes read a whole IV from their parameter, however short it says it is (pkcs11c.c, sftk_CryptInit): such a
 * parameter is NSS's to judge, and no identity. */
static unsigned parameter_needed(CK_MECHANISM_TYPE mechanism) {
    switch (mechanism) {
    case CKM_AES_CBC:
    case CKM_AES_CBC_PAD:
    case CKM_CAMELLIA_CBC:
    case CKM_CAMELLIA_CBC_PAD:
    case CKM_SEED_CBC:
    case CKM_SEED_CBC_PAD:
        return BLOCK;
    case CKM_DES_CBC:
    case CKM_DES_CBC_PAD:
    case CKM_DES3_CBC:
    case CKM_DES3_CBC_PAD:
        return 8;
    case CKM_AES_CTR:
        return sizeof(CK_AES_CTR_PARAMS);
    default:
        return 0;
    }
}

bool engine_for(struct request *q, bool *why_parameter) {
    *why_parameter = false;
    q->decrypt = q->operation == CKA_DECRYPT;
    q->padded = q->mechanism == CKM_AES_CBC_PAD;
    q->kind = ENGINE_KIND_RESET;
    if (!q->sym)
        return true; /* a digest */
    bool cbc = q->padded || q->mechanism == CKM_AES_CBC;
    if (cbc && (q->decrypt || q->operation == CKA_ENCRYPT) && option(&options.engine) == ENGINE_STREAM)
        q->kind = ENGINE_KIND_STREAM;
    else if (!engine_can_reset(q->mechanism, q->operation))
        return false;
    const SECItem *p = q->param;
    *why_parameter = !p || p->len > PARAM_MAX || (p->len && !p->data) || p->len < parameter_needed(q->mechanism);
    return !*why_parameter;
}

static _Atomic uint64_t *accepted(const struct request *q) {
    return &process.accepted[q->padded][q->decrypt];
}

bool engine_accepted(const struct request *q) {
    return atomic_load_explicit(accepted(q), memory_order_relaxed) >> q->param->len & 1;
}

void engine_note_accepted(const struct request *q) {
    atomic_fetch_or(accepted(q), UINT64_C(1) << q->param->len);
}

/* Which OPERATION of counters.def a pooled context counts as. */
static unsigned operation_class(const struct request *q) {
    unsigned decrypt = q->operation == CKA_DECRYPT;
    if (!q->sym)
        return OPERATION_digest_digest;
    switch (q->mechanism) {
    case CKM_AES_CBC:
        return OPERATION_aes_cbc_encrypt + decrypt;
    case CKM_AES_CBC_PAD:
        return OPERATION_aes_cbc_pad_encrypt + decrypt;
    case CKM_AES_ECB:
        return OPERATION_aes_ecb_encrypt + decrypt;
    case CKM_AES_CTR:
        return OPERATION_aes_ctr_encrypt + decrypt;
    default:
        return q->operation == CKA_SIGN ? (unsigned)OPERATION_hmac_sign : OPERATION_other_cipher_encrypt + decrypt;
    }
}

enum { UNPROVEN = 4 };

static PK11Context *make_context(const struct request *q) {
    if (!q->sym)
        return real.PK11_CreateDigestContext(q->digest);
    if (q->kind == ENGINE_KIND_RESET)
        return real.PK11_CreateContextBySymKey(q->mechanism, q->operation, q->sym, q->param);
    unsigned char zero[BLOCK] = {0};
    SECItem iv = {siBuffer, zero, BLOCK};
    return real.PK11_CreateContextBySymKey(CKM_AES_CBC, q->operation, q->sym, &iv);
}

struct record *engine_make(struct root *root, struct key *key, const struct request *q, bool *bound) {
    struct record *r = record_new(root);
    *bound = !r;
    if (!r)
        return NULL;
    struct nss_error error = nss_error_get();
    guard_enter();
    PK11Context *context = make_context(q);
    guard_leave();
    if (!context) {
        nss_error_set(error);
        record_free(root, r);
        return NULL;
    }
    nss_error_set(error);
    r->engine = context;
    r->kind = q->kind;
    r->key = key;
    r->operation = q->operation;
    r->mechanism = q->mechanism;
    r->decrypt = q->decrypt;
    r->operation_class = (uint8_t)operation_class(q);
    r->tainted = r->dirty = r->rebased = false;
    r->unproven = UNPROVEN;
    r->direct = r->shadow = NULL;
    memset(r->chain, 0, BLOCK);
    r->param_len = 0;
    if (q->kind == ENGINE_KIND_RESET && q->sym) {
        r->param_len = (uint8_t)q->param->len;
        if (r->param_len)
            memcpy(r->param, q->param->data, r->param_len);
    }
    atomic_store(&r->state, RECORD_IDLE);
    atomic_fetch_add(&key->holders, 1);
    COUNT(magazine_counters(), engines_made);
    return r;
}

void engine_destroy(struct root *root, struct record *r) {
    PK11Context *context = r->engine;
    struct key *key = r->key;
    bool ours = atomic_load(&r->fork) == root->fork;
    record_free(root, r);
    guard_enter();
    real.PK11_DestroyContext(context, PR_TRUE);
    guard_leave();
    if (ours && key)
        key_release(root, key);
}

void engine_begin(struct record *r, const struct request *q) {
    if (r->kind == ENGINE_KIND_RESET) {
        r->direct = r->engine;
        r->dirty = false;
        return;
    }
    r->direct = NULL;
    r->rebased = false;
    r->mechanism = q->mechanism;
    r->padded = q->padded;
    r->operation_class = (uint8_t)(2 * q->padded + q->decrypt); /* aes_cbc, aes_cbc_pad */
    r->param_len = (uint8_t)q->param->len;
    copy_short(r->param, q->param->data, q->param->len);
    stream_begin(r, q->param->data);
}

bool engine_reset(struct record *r) {
    unsigned char scratch[512];
    unsigned length;
    if (MUTATED(MUTATION_NO_RESET))
        return true;
    struct nss_error error = nss_error_get();
    guard_enter();
    /* DigestBegin alone after an unfinished operation succeeds and then gives wrong output (pk11cxt.c: it looks only at
     * cx->init); DigestFinal ends it, also after a failed padding check, and fails harmlessly where nothing is left to
     * end. */
    real.PK11_DigestFinal(r->engine, scratch, &length, sizeof scratch);
    bool fine = real.PK11_DigestBegin(r->engine) == SECSuccess;
    guard_leave();
    secret_wipe(scratch, sizeof scratch);
    nss_error_set(error);
    return fine;
}

bool engine_fits(const struct record *r, const void *request) {
    const struct request *q = request;
    if (r->kind != q->kind || r->operation != q->operation)
        return false;
    if (q->kind == ENGINE_KIND_STREAM || !q->sym)
        return true;
    return r->mechanism == q->mechanism && r->param_len == q->param->len &&
           (!r->param_len || memcmp(r->param, q->param->data, r->param_len) == 0);
}

/* Bring a new real context to where the message is: the bytes that wait, or its end. */
static bool catch_up(struct record *r) {
    unsigned char scratch[2 * BLOCK];
    int got;
    unsigned length;
    bool fine = true;
    if (r->active && r->buffered)
        fine = real.PK11_CipherOp(r->direct, scratch, &got, sizeof scratch, r->buffer, r->buffered) == SECSuccess;
    if (!r->active)
        fine = real.PK11_DigestFinal(r->direct, scratch, &length, sizeof scratch) == SECSuccess;
    secret_wipe(scratch, sizeof scratch);
    return fine;
}

bool engine_materialise(struct record *r) {
    if (r->direct)
        return true;
    bool rebase = r->consumed;
    SECItem param = {siBuffer, rebase ? r->logical : r->param, rebase ? BLOCK : r->param_len};
    struct nss_error error = nss_error_get();
    guard_enter();
    r->direct = real.PK11_CreateContextBySymKey(r->mechanism, r->operation, r->key->sym, &param);
    bool fine = r->direct && catch_up(r);
    guard_leave();
    COUNT(magazine_counters(), materialised);
    r->rebased = rebase;
    if (r->direct)
        nss_error_set(error);
    (void)fine; /* where NSS could not follow, the real context answers for itself from here on */
    return r->direct != NULL;
}

static _Atomic PRErrorCode bad_padding = 0;

PRErrorCode engine_bad_padding_error(void) {
    PRErrorCode error = atomic_load_explicit(&bad_padding, memory_order_relaxed);
    return MUTATED(MUTATION_PADDING_ERROR) ? error + 1 : error;
}

/* Decrypt a block under a zero IV, and offer it again under the IV that makes its plain text all zeros: no padding ends
 * in 0. */
void engine_learn_bad_padding(PK11SymKey *sym) {
    if (atomic_load(&bad_padding))
        return;
    unsigned char iv[BLOCK] = {0}, block[BLOCK] = {1}, plain[2 * BLOCK];
    SECItem param = {siBuffer, iv, BLOCK};
    struct nss_error error = nss_error_get();
    int got;
    unsigned length;
    guard_enter();
    PK11Context *context = real.PK11_CreateContextBySymKey(CKM_AES_CBC, CKA_DECRYPT, sym, &param);
    if (context && real.PK11_CipherOp(context, iv, &got, BLOCK, block, BLOCK) == SECSuccess) {
        PK11Context *padded = real.PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, CKA_DECRYPT, sym, &param);
        if (padded && real.PK11_CipherOp(padded, plain, &got, sizeof plain, block, BLOCK) == SECSuccess &&
            real.PK11_DigestFinal(padded, plain, &length, sizeof plain) != SECSuccess)
            atomic_store(&bad_padding, real.PR_GetError());
        if (padded)
            real.PK11_DestroyContext(padded, PR_TRUE);
    }
    if (context)
        real.PK11_DestroyContext(context, PR_TRUE);
    guard_leave();
    nss_error_set(error);
    secret_wipe(iv, sizeof iv);
}
