#include "preload/verify.h"
#include "preload/magazine.h"
#include "preload/mutation.h"
#include "preload/say.h"
#include "preload/secret.h"

#include <stdlib.h>

/* Room for what an operation can give beyond its input: a held-back block and padding, or a digest. */
enum { EXTRA = 64, FINAL_MAX = 512 };

bool verify_due_slow(const struct record *record) {
    if (PK11CACHE_MUTATION && !PK11CACHE_MUTATION_VERIFIED)
        return false; /* the differential test is to find the fault, not we */
    long every = option(&options.verify);
    if (record->unproven)
        return true;
    if (!every)
        return false;
    thread_self.draw = thread_self.draw * 1664525u + 1013904223u;
    return (thread_self.draw >> 8) % (unsigned long)every == 0;
}

void verify_begin(struct record *r, const struct request *q) {
    struct nss_error error = nss_error_get();
    guard_enter();
    r->shadow = q->sym ? real.PK11_CreateContextBySymKey(q->mechanism, q->operation, q->sym, q->param)
                       : real.PK11_CreateDigestContext(q->digest);
    guard_leave();
    nss_error_set(error);
    if (r->unproven) /* not for ever: some programs never do what can be compared */
        r->unproven--;
    if (r->shadow)
        COUNT(magazine_counters(), verify_checks);
}

void verify_end(struct record *r) {
    PK11Context *shadow = r->shadow;
    r->shadow = NULL;
    if (!shadow)
        return;
    struct nss_error error = nss_error_get();
    guard_enter();
    real.PK11_DestroyContext(shadow, PR_TRUE);
    guard_leave();
    nss_error_set(error);
}

/* No comparison is possible: this message is left to the engine, or to NSS. */
static struct verify_call give_up(struct record *r) {
    verify_end(r);
    return (struct verify_call){0};
}

static bool prepare(struct verify_call *call, size_t room) {
    call->room = room;
    call->out = malloc(room ? room : 1);
    call->active = call->out != NULL;
    return call->active;
}

static void finished(struct verify_call *call, SECStatus status, struct nss_error before) {
    struct nss_error after = nss_error_get();
    call->status = status;
    call->error = after.code;
    call->os_error = after.os;
    nss_error_set(before);
}

struct verify_call verify_cipher_op(struct record *r, const unsigned char *out, int maxout, const unsigned char *in,
                                    int inlen) {
    struct verify_call call = {0};
    if (!out || !in || inlen < 0 || maxout < 0)
        return give_up(r);
    size_t input = (size_t)inlen, room = (size_t)maxout < input + EXTRA ? (size_t)maxout : input + EXTRA;
    bool in_place = out == in, apart = out + room <= in || in + input <= out;
    if (!(in_place || apart) || !prepare(&call, in_place && room < input ? input : room))
        return give_up(r);
    if (in_place) /* what NSS reads it may have overwritten before: so it is here */
        in = memcpy(call.out, in, input);
    struct nss_error before = nss_error_get();
    int length = 0;
    guard_enter();
    SECStatus status = real.PK11_CipherOp(r->shadow, call.out, &length, (int)room, in, inlen);
    guard_leave();
    call.length = length > 0 ? (unsigned)length : 0;
    finished(&call, status, before);
    return call;
}

struct verify_call verify_digest_op(struct record *r, const unsigned char *in, unsigned inlen) {
    struct verify_call call = {0};
    if (!prepare(&call, 0))
        return give_up(r);
    struct nss_error before = nss_error_get();
    guard_enter();
    SECStatus status = real.PK11_DigestOp(r->shadow, in, inlen);
    guard_leave();
    finished(&call, status, before);
    return call;
}

struct verify_call verify_final(struct record *r, const unsigned char *out, unsigned maxout) {
    struct verify_call call = {0};
    if (!out || !prepare(&call, FINAL_MAX))
        return give_up(r);
    struct nss_error before = nss_error_get();
    guard_enter();
    SECStatus status =
        real.PK11_DigestFinal(r->shadow, call.out, &call.length, maxout < FINAL_MAX ? maxout : FINAL_MAX);
    guard_leave();
    finished(&call, status, before);
    return call;
}

static void distrust(const struct record *r, unsigned length) {
    static _Atomic bool said;
    COUNT(magazine_counters(), verify_mismatches);
    if (!atomic_exchange(&said, true))
        say("the cache and NSS differ (mechanism 0x%lx, operation 0x%lx, %u bytes): the cache is off", r->mechanism,
            r->operation, length);
    root_distrust();
}

static bool same(const struct verify_call *call, SECStatus status, const unsigned char *out, const unsigned *length,
                 PRErrorCode error) {
    if (status != call->status)
        return false;
    if (status != SECSuccess)
        return error == call->error;
    return !length || (*length == call->length && secret_equal(out, call->out, *length));
}

SECStatus verify_compare(struct record *r, struct verify_call *call, SECStatus status, unsigned char *out,
                         unsigned *length) {
    if (!call->active)
        return status;
    if (r->direct && r->kind == ENGINE_KIND_STREAM) {
        verify_end(r); /* it materialised: that was NSS's own answer */
    } else if (!same(call, status, out, length, real.PR_GetError())) {
        distrust(r, length ? call->length : 0);
        r->tainted = true;
        status = call->status;
        if (length && status == SECSuccess) {
            memcpy(out, call->out, call->length);
            *length = call->length;
        }
        real.PR_SetError(call->error, call->os_error);
    }
    if (r->shadow && status == SECSuccess && length && *length)
        r->unproven = 0;
    secret_wipe(call->out, call->room);
    free(call->out);
    return status;
}
