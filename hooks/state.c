/* The rest of what takes a context: a real one answers. */
#include "hooks/handle.h"

HOOKED SECStatus PK11_DigestKey(PK11Context *context, PK11SymKey *key) {
    if (!record_is_handle(context))
        return REAL(PK11_DigestKey)(context, key);
    bool owner;
    struct record *r = handle_enter_direct(context, &owner);
    if (!r)
        return SECFailure;
    guard_enter();
    SECStatus status = real.PK11_DigestKey(r->direct, key);
    guard_leave();
    if (key)
        r->init = false; /* pk11cxt.c, PK11_DigestKey */
    record_leave(r, owner);
    return status;
}

/* After an explicit end or a restore the state is no longer one that a reset is known to cure. */
static struct record *enter_tainting(PK11Context *handle, bool *owner) {
    struct record *r = handle_enter_direct(handle, owner);
    if (r && r->kind == ENGINE_KIND_RESET)
        r->tainted = true;
    return r;
}

HOOKED SECStatus PK11_Finalize(PK11Context *context) {
    if (!record_is_handle(context))
        return REAL(PK11_Finalize)(context);
    bool owner;
    struct record *r = enter_tainting(context, &owner);
    if (!r)
        return SECFailure;
    SECStatus status = real.PK11_Finalize(r->direct);
    record_leave(r, owner);
    return status;
}

HOOKED SECStatus PK11_RestoreContext(PK11Context *context, unsigned char *save, int len) {
    if (!record_is_handle(context))
        return REAL(PK11_RestoreContext)(context, save, len);
    bool owner;
    struct record *r = enter_tainting(context, &owner);
    if (!r)
        return SECFailure;
    SECStatus status = real.PK11_RestoreContext(r->direct, save, len);
    record_leave(r, owner);
    return status;
}

HOOKED SECStatus PK11_SaveContext(PK11Context *context, unsigned char *save, int *len, int savelen) {
    PASS_HANDLE(PK11_SaveContext, SECStatus, SECFailure, (PASSED, save, len, savelen));
}

HOOKED unsigned char *PK11_SaveContextAlloc(PK11Context *context, unsigned char *buffer, unsigned bufferlen,
                                            unsigned *len) {
    PASS_HANDLE(PK11_SaveContextAlloc, unsigned char *, NULL, (PASSED, buffer, bufferlen, len));
}

HOOKED SECStatus PK11_AEADRawOp(PK11Context *context, void *params, int paramslen, const unsigned char *aad, int aadlen,
                                unsigned char *out, int *outlen, int maxout, const unsigned char *in, int inlen) {
    PASS_HANDLE(PK11_AEADRawOp, SECStatus, SECFailure,
                (PASSED, params, paramslen, aad, aadlen, out, outlen, maxout, in, inlen));
}

HOOKED SECStatus PK11_AEADOp(PK11Context *context, unsigned long ivgen, int fixedbits, unsigned char *iv, int ivlen,
                             const unsigned char *aad, int aadlen, unsigned char *out, int *outlen, int maxout,
                             unsigned char *tag, int taglen, const unsigned char *in, int inlen) {
    PASS_HANDLE(PK11_AEADOp, SECStatus, SECFailure,
                (PASSED, ivgen, fixedbits, iv, ivlen, aad, aadlen, out, outlen, maxout, tag, taglen, in, inlen));
}

HOOKED PRBool PK11_ContextGetFIPSStatus(PK11Context *context) {
    PASS_HANDLE(PK11_ContextGetFIPSStatus, PRBool, PR_FALSE, (PASSED));
}

HOOKED SECStatus _PK11_ContextSetAEADSimulation(PK11Context *context) {
    PASS_HANDLE(_PK11_ContextSetAEADSimulation, SECStatus, SECFailure, (PASSED));
}

HOOKED PRBool _PK11_ContextGetAEADSimulation(PK11Context *context) {
    PASS_HANDLE(_PK11_ContextGetAEADSimulation, PRBool, PR_FALSE, (PASSED));
}
