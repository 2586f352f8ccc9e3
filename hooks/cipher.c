/* The operations of the fast path: PK11_CipherOp, PK11_DigestFinal, PK11_DigestBegin; and PK11_DigestOp. */
#include "hooks/experiment.h"
#include "hooks/handle.h"
#include "preload/stream.h"
#include "preload/verify.h"

static inline __attribute__((always_inline)) struct record *enter(PK11Context *handle, bool *owner) {
    struct record *record = record_enter(handle, owner);
    if (unlikely(!record))
        real.PR_SetError(SEC_ERROR_INVALID_ARGS, 0);
    return record;
}

static void count(const struct record *r, uint64_t bytes) {
    struct counters *c = magazine_counters();
    COUNT(c, operations[r->operation_class]);
    COUNT_N(c, operation_bytes[r->operation_class], bytes);
}

SECStatus hook_cipher_op(PK11Context *context, unsigned char *out, int *outlen, int maxout, const unsigned char *in,
                         int inlen) {
    bool owner;
    struct record *r = enter(context, &owner);
    if (!r)
        return SECFailure;
    struct verify_call call = {0};
    if (unlikely(r->shadow))
        call = verify_cipher_op(r, out, maxout, in, inlen);
    SECStatus status = SECFailure;
    enum stream_result result = r->direct ? STREAM_UNSURE : stream_cipher_op(r, out, outlen, maxout, in, inlen);
    count(r, inlen > 0 ? (uint64_t)inlen : 0);
    if (likely(result == STREAM_DONE)) {
        status = SECSuccess;
    } else if (result == STREAM_UNSURE && engine_materialise(r)) {
        r->dirty = true;
        status = real.PK11_CipherOp(r->direct, out, outlen, maxout, in, inlen);
    }
    if (unlikely(call.active))
        status = verify_compare(r, &call, status, out, (unsigned *)outlen);
    record_leave(r, owner);
    return status;
}

static __attribute__((noinline, cold)) SECStatus sampled_cipher_op(PK11Context *context, unsigned char *out,
                                                                   int *outlen, int maxout, const unsigned char *in,
                                                                   int inlen) {
    struct sample sample = sample_begin(SAMPLED_cipher_op);
    SECStatus status = hook_cipher_op(context, out, outlen, maxout, in, inlen);
    sample_end(&sample, 0, 0);
    return status;
}

HOOKED SECStatus PK11_CipherOp(PK11Context *context, unsigned char *out, int *outlen, int maxout,
                               const unsigned char *in, int inlen) {
    if (experiment_running())
        experiment_data_hook(context, inlen > 0 ? (uint64_t)inlen : 0);
    if (unlikely(!record_is_handle(context)))
        return REAL(PK11_CipherOp)(context, out, outlen, maxout, in, inlen);
    if (sample_due())
        return sampled_cipher_op(context, out, outlen, maxout, in, inlen);
    return hook_cipher_op(context, out, outlen, maxout, in, inlen);
}

/* A good and a bad padding do the same work: the error is set to what it is to be in both. */
static SECStatus padding_result(bool bad) {
    PRErrorCode now = real.PR_GetError(), wanted = engine_bad_padding_error();
    PRErrorCode mask = -(PRErrorCode)bad;
    PRInt32 os = real.PR_GetOSError() & ~mask;
    real.PR_SetError((now & ~mask) | (wanted & mask), os);
    return (SECStatus) - (int)bad;
}

SECStatus hook_final(PK11Context *context, unsigned char *out, unsigned *outlen, unsigned maxout) {
    bool owner;
    struct record *r = enter(context, &owner);
    if (!r)
        return SECFailure;
    SECStatus status = SECFailure;
    struct verify_call call = {0};
    if (unlikely(r->shadow))
        call = verify_final(r, out, maxout);
    bool unpads = r->decrypt && r->padded && r->has_final;
    enum stream_result result = r->direct ? STREAM_UNSURE : stream_final(r, out, outlen, maxout);
    if (result == STREAM_UNSURE) {
        if (engine_materialise(r)) {
            r->dirty = true;
            status = real.PK11_DigestFinal(r->direct, out, outlen, maxout);
            r->init = false; /* pk11cxt.c: in every case but a message context's */
        }
    } else if (result != STREAM_FAILED) {
        bool bad = result == STREAM_BAD_PADDING;
        status = unpads ? padding_result(bad) : SECSuccess;
        COUNT_N(magazine_counters(), bad_paddings, (uint64_t)bad);
    }
    if (unlikely(call.active))
        status = verify_compare(r, &call, status, out, outlen);
    record_leave(r, owner);
    return status;
}

static __attribute__((noinline, cold)) SECStatus sampled_final(PK11Context *context, unsigned char *out,
                                                               unsigned *outlen, unsigned maxout) {
    struct sample sample = sample_begin(SAMPLED_final);
    SECStatus status = hook_final(context, out, outlen, maxout);
    sample_end(&sample, 0, 0);
    return status;
}

HOOKED SECStatus PK11_DigestFinal(PK11Context *context, unsigned char *out, unsigned *outlen, unsigned maxout) {
    if (experiment_running())
        experiment_data_hook(context, 0);
    if (unlikely(!record_is_handle(context)))
        return REAL(PK11_DigestFinal)(context, out, outlen, maxout);
    if (sample_due())
        return sampled_final(context, out, outlen, maxout);
    return hook_final(context, out, outlen, maxout);
}

/* A materialised context that was made with the chain as its IV would start again from there: it is replaced by one
 * with the caller's parameter. PK11_Finalize first, since bare NSS's begin makes that call too, and it can set the
 * error. */
static SECStatus begin_rebased(struct record *r) {
    SECItem param = {siBuffer, r->param, r->param_len};
    real.PK11_Finalize(r->direct);
    guard_enter();
    PK11Context *fresh = real.PK11_CreateContextBySymKey(r->mechanism, r->operation, r->key->sym, &param);
    guard_leave();
    if (!fresh)
        return SECFailure;
    guard_enter();
    real.PK11_DestroyContext(r->direct, PR_TRUE);
    guard_leave();
    r->direct = fresh;
    r->rebased = false;
    return SECSuccess;
}

HOOKED SECStatus PK11_DigestBegin(PK11Context *context) {
    if (unlikely(!record_is_handle(context)))
        return REAL(PK11_DigestBegin)(context);
    bool owner;
    struct record *r = enter(context, &owner);
    if (!r)
        return SECFailure;
    verify_end(r);
    SECStatus status = SECFailure;
    if (!r->direct && stream_restart(r) == STREAM_DONE)
        status = SECSuccess;
    else if (engine_materialise(r)) {
        if (r->rebased)
            status = r->init ? SECSuccess : begin_rebased(r);
        else
            status = real.PK11_DigestBegin(r->direct);
    }
    if (status == SECSuccess)
        r->init = true;
    record_leave(r, owner);
    return status;
}

SECStatus hook_digest_op(PK11Context *context, const unsigned char *in, unsigned inlen) {
    bool owner;
    struct record *r = enter(context, &owner);
    if (!r)
        return SECFailure;
    struct verify_call call = {0};
    if (unlikely(r->shadow))
        call = verify_digest_op(r, in, inlen);
    count(r, inlen);
    SECStatus status = SECFailure;
    if (engine_materialise(r)) {
        r->dirty = true;
        status = real.PK11_DigestOp(r->direct, in, inlen);
    }
    if (unlikely(call.active))
        status = verify_compare(r, &call, status, NULL, NULL);
    if (in && inlen)
        r->init = false; /* pk11cxt.c, PK11_DigestOp */
    record_leave(r, owner);
    return status;
}

static __attribute__((noinline, cold)) SECStatus sampled_digest_op(PK11Context *context, const unsigned char *in,
                                                                   unsigned inlen) {
    struct sample sample = sample_begin(SAMPLED_digest_op);
    SECStatus status = hook_digest_op(context, in, inlen);
    sample_end(&sample, 0, 0);
    return status;
}

HOOKED SECStatus PK11_DigestOp(PK11Context *context, const unsigned char *in, unsigned inlen) {
    if (experiment_running())
        experiment_data_hook(context, inlen);
    if (unlikely(!record_is_handle(context)))
        return REAL(PK11_DigestOp)(context, in, inlen);
    if (sample_due())
        return sampled_digest_op(context, in, inlen);
    return hook_digest_op(context, in, inlen);
}
