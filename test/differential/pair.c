#include "pair.h"
#include "mechanisms.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long long pair_calls;
bool pair_different;

enum { SENTINEL_ERROR = -5555, SENTINEL_LENGTH = 77777, LOG = 1 << 16 };
static char log_text[LOG];
static size_t log_used;
static unsigned char room_hooked[ROOM + 16], room_bare[ROOM + 16];
static unsigned char *out_hooked = room_hooked, *out_bare = room_bare;
static int error_hooked, error_bare;

static char difference[256];
static int numbers;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
    if (pair_different)
        return;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(log_text + log_used, LOG - log_used, format, arguments);
    va_end(arguments);
    log_used = n > 0 && log_used + (size_t)n < LOG ? log_used + (size_t)n : log_used;
}

void pair_sequence(unsigned long seed, const char *what) {
    log_used = 0;
    numbers = 0;
    pair_different = false;
    note("sequence of seed %lu%s, the last call differs:\n", seed, what);
}

void pair_report(void) {
    printf("%s%s", difference, log_text);
}

static void compare(const char *what, long want, long got) {
    if (want == got || pair_different)
        return;
    pair_different = true;
    snprintf(difference, sizeof difference, "difference: %s: bare %ld, through the hooks %ld\n", what, want, got);
}

/* Give both sides the same error to start from, make the call on each, and compare what is left. */
#define BOTH(on_hooked, on_bare)                                                                                       \
    do {                                                                                                               \
        PR_SetError(SENTINEL_ERROR, 0);                                                                                \
        on_bare;                                                                                                       \
        error_bare = PR_GetError();                                                                                    \
        PR_SetError(SENTINEL_ERROR, 0);                                                                                \
        on_hooked;                                                                                                     \
        error_hooked = PR_GetError();                                                                                  \
        pair_calls++;                                                                                                  \
        compare("PR_GetError", error_bare, error_hooked);                                                              \
    } while (0)

struct keys pair_import(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, const unsigned char *bytes,
                        unsigned n) {
    struct keys k = {0};
    SECItem item = {siBuffer, (unsigned char *)bytes, n};
    PK11SlotInfo *slot_hooked = NULL, *slot_bare = NULL;
    note("  PK11_GetBestSlot, PK11_ImportSymKey(%s, %s, %u bytes, %02x%02x..)\n", mechanism_name(mechanism),
         operation_name(operation), n, bytes[0], bytes[n > 1]);
    BOTH(slot_hooked = hooked.PK11_GetBestSlot(mechanism, NULL), slot_bare = bare.PK11_GetBestSlot(mechanism, NULL));
    compare("PK11_GetBestSlot", !slot_bare, !slot_hooked);
    if (!slot_bare || !slot_hooked)
        return k;
    BOTH(k.hooked = hooked.PK11_ImportSymKey(slot_hooked, mechanism, PK11_OriginUnwrap, operation, &item, NULL),
         k.bare = bare.PK11_ImportSymKey(slot_bare, mechanism, PK11_OriginUnwrap, operation, &item, NULL));
    compare("PK11_ImportSymKey", !k.bare, !k.hooked);
    hooked.PK11_FreeSlot(slot_hooked);
    bare.PK11_FreeSlot(slot_bare);
    return k;
}

void pair_key_data(struct keys k) {
    SECItem *data_hooked, *data_bare;
    note("  PK11_GetKeyData\n");
    BOTH(data_hooked = hooked.PK11_GetKeyData(k.hooked), data_bare = bare.PK11_GetKeyData(k.bare));
    compare("PK11_GetKeyData", 0, SECITEM_CompareItem(data_bare, data_hooked));
}

void pair_best_slot(CK_MECHANISM_TYPE mechanism) {
    PK11SlotInfo *slot_hooked, *slot_bare;
    note("  PK11_GetBestSlot(%s)\n", mechanism_name(mechanism));
    BOTH(slot_hooked = hooked.PK11_GetBestSlot(mechanism, NULL), slot_bare = bare.PK11_GetBestSlot(mechanism, NULL));
    compare("PK11_GetBestSlot", 0, slot_bare != slot_hooked);
    if (slot_bare)
        BOTH(hooked.PK11_FreeSlot(slot_hooked), bare.PK11_FreeSlot(slot_bare));
}

void pair_free_keys(struct keys k) {
    note("  PK11_FreeSymKey\n");
    BOTH(hooked.PK11_FreeSymKey(k.hooked), bare.PK11_FreeSymKey(k.bare));
}

struct pair pair_create(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, struct keys k, const SECItem *param) {
    struct pair p;
    p.number = ++numbers;
    note("  c%d = PK11_CreateContextBySymKey(%s, %s, parameter of %d bytes%s)\n", p.number, mechanism_name(mechanism),
         operation_name(operation), param ? (int)param->len : -1, param && !param->data ? ", NULL" : "");
    BOTH(p.hooked = hooked.PK11_CreateContextBySymKey(mechanism, operation, k.hooked, param),
         p.bare = bare.PK11_CreateContextBySymKey(mechanism, operation, k.bare, param));
    compare("PK11_CreateContextBySymKey", !p.bare, !p.hooked);
    return p;
}

struct pair pair_digest(SECOidTag digest) {
    struct pair p;
    p.number = ++numbers;
    note("  c%d = PK11_CreateDigestContext(%s)\n", p.number, SECOID_FindOIDTagDescription(digest));
    BOTH(p.hooked = hooked.PK11_CreateDigestContext(digest), p.bare = bare.PK11_CreateDigestContext(digest));
    compare("PK11_CreateDigestContext", !p.bare, !p.hooked);
    return p;
}

struct pair pair_clone(struct pair from) {
    struct pair p;
    p.number = ++numbers;
    note("  c%d = PK11_CloneContext(c%d)\n", p.number, from.number);
    PR_SetError(SENTINEL_ERROR, 0);
    p.bare = bare.PK11_CloneContext(from.bare);
    error_bare = PR_GetError();
    PR_SetError(SENTINEL_ERROR, 0);
    p.hooked = hooked.PK11_CloneContext(from.hooked);
    error_hooked = PR_GetError();
    pair_calls++;
    /* Left out: the error of a clone that fails. Bare NSS then allocates a length that nobody has set
     * (pk11cxt.c, `len` in PK11_CloneContext), so that it is the token's error or SEC_ERROR_NO_MEMORY, by
     * chance. */
    if (p.bare)
        compare("PR_GetError", error_bare, error_hooked);
    compare("PK11_CloneContext", !p.bare, !p.hooked);
    return p;
}

void pair_destroy(struct pair p) {
    note("  PK11_DestroyContext(c%d)\n", p.number);
    BOTH(hooked.PK11_DestroyContext(p.hooked, PR_TRUE), bare.PK11_DestroyContext(p.bare, PR_TRUE));
}

#define BOTH_STATUS(what, on_hooked, on_bare)                                                                          \
    do {                                                                                                               \
        SECStatus status_hooked, status_bare;                                                                          \
        BOTH(status_hooked = on_hooked, status_bare = on_bare);                                                        \
        compare(what, status_bare, status_hooked);                                                                     \
    } while (0)

void pair_begin(struct pair p) {
    note("  PK11_DigestBegin(c%d)\n", p.number);
    BOTH_STATUS("PK11_DigestBegin", hooked.PK11_DigestBegin(p.hooked), bare.PK11_DigestBegin(p.bare));
}

void pair_digest_op(struct pair p, const unsigned char *in, unsigned n) {
    note("  PK11_DigestOp(c%d, %u bytes%s)\n", p.number, n, in ? "" : " of NULL");
    BOTH_STATUS("PK11_DigestOp", hooked.PK11_DigestOp(p.hooked, in, n), bare.PK11_DigestOp(p.bare, in, n));
}

void pair_digest_key(struct pair p, struct keys k) {
    note("  PK11_DigestKey(c%d)\n", p.number);
    BOTH_STATUS("PK11_DigestKey", hooked.PK11_DigestKey(p.hooked, k.hooked), bare.PK11_DigestKey(p.bare, k.bare));
}

void pair_finalize(struct pair p) {
    note("  PK11_Finalize(c%d)\n", p.number);
    BOTH_STATUS("PK11_Finalize", hooked.PK11_Finalize(p.hooked), bare.PK11_Finalize(p.bare));
}

void pair_fips(struct pair p) {
    PRBool status_hooked, status_bare;
    note("  PK11_ContextGetFIPSStatus(c%d)\n", p.number);
    BOTH(status_hooked = hooked.PK11_ContextGetFIPSStatus(p.hooked),
         status_bare = bare.PK11_ContextGetFIPSStatus(p.bare));
    compare("PK11_ContextGetFIPSStatus", status_bare, status_hooked);
}

/* PK11_SaveContext frees the caller's buffer in bare NSS (pk11cxt.c), so the form that allocates is used. */
struct saved pair_save(struct pair from) {
    struct saved s = {NULL, NULL, SENTINEL_LENGTH, SENTINEL_LENGTH};
    note("  PK11_SaveContextAlloc(c%d)\n", from.number);
    BOTH(s.hooked = hooked.PK11_SaveContextAlloc(from.hooked, NULL, 0, &s.length_hooked),
         s.bare = bare.PK11_SaveContextAlloc(from.bare, NULL, 0, &s.length_bare));
    compare("PK11_SaveContextAlloc", !s.bare, !s.hooked);
    compare("the length of PK11_SaveContextAlloc", s.length_bare, s.length_hooked);
    return s;
}

void pair_restore(struct pair to, struct saved s) {
    unsigned char none[64] = {0};
    bool real = s.hooked && s.bare;
    note("  PK11_RestoreContext(c%d%s)\n", to.number, real ? "" : ", nonsense");
    BOTH_STATUS("PK11_RestoreContext",
                hooked.PK11_RestoreContext(to.hooked, real ? s.hooked : none, real ? (int)s.length_hooked : 64),
                bare.PK11_RestoreContext(to.bare, real ? s.bare : none, real ? (int)s.length_bare : 64));
}

void pair_save_restore(struct pair from, struct pair to) {
    struct saved s = pair_save(from);
    pair_restore(to, s);
    pair_free_saved(s);
}

void pair_free_saved(struct saved s) {
    PORT_Free(s.hooked);
    PORT_Free(s.bare);
}

static void prepare(const unsigned char *in, size_t n, size_t room, bool in_place) {
    out_hooked = room_hooked + n / 3 % 16; /* any alignment */
    out_bare = room_bare + n / 3 % 16;
    memset(out_hooked, 0xa7, room);
    if (in_place && n)
        memcpy(out_hooked, in, n);
    memcpy(out_bare, out_hooked, room);
}

static void compare_out(const char *what, size_t room) {
    if (memcmp(out_bare, out_hooked, room) == 0)
        return;
    size_t at = 0;
    while (out_bare[at] == out_hooked[at])
        at++;
    note("  ^ output differs at byte %zu\n", at);
    compare(what, out_bare[at], out_hooked[at]);
}

SECStatus pair_cipher_op(struct pair p, const unsigned char *in, int n, int room, bool in_place, bool out_null,
                         unsigned char **out, int *length) {
    int length_hooked = SENTINEL_LENGTH, length_bare = SENTINEL_LENGTH;
    size_t touched = (size_t)n + 128;
    SECStatus status_hooked, status_bare;
    note("  PK11_CipherOp(c%d, %d bytes%s, room %d%s%s)\n", p.number, n, in ? "" : " of NULL", room,
         in_place ? ", in place" : "", out_null ? ", size query" : "");
    prepare(in, (size_t)n, touched, in_place);
    BOTH(status_hooked = hooked.PK11_CipherOp(p.hooked, out_null ? NULL : out_hooked, &length_hooked, room,
                                              in_place ? out_hooked : in, n),
         status_bare =
             bare.PK11_CipherOp(p.bare, out_null ? NULL : out_bare, &length_bare, room, in_place ? out_bare : in, n));
    compare("PK11_CipherOp", status_bare, status_hooked);
    compare("*outlen of PK11_CipherOp", length_bare, length_hooked);
    compare_out("output of PK11_CipherOp", touched);
    if (out)
        *out = out_bare;
    if (length)
        *length = length_bare;
    return status_bare;
}

SECStatus pair_final(struct pair p, unsigned room, bool out_null, unsigned char **out, unsigned *length) {
    unsigned length_hooked = SENTINEL_LENGTH, length_bare = SENTINEL_LENGTH;
    SECStatus status_hooked, status_bare;
    note("  PK11_DigestFinal(c%d, room %u%s)\n", p.number, room, out_null ? ", size query" : "");
    prepare(NULL, 0, 256, false);
    BOTH(status_hooked = hooked.PK11_DigestFinal(p.hooked, out_null ? NULL : out_hooked, &length_hooked, room),
         status_bare = bare.PK11_DigestFinal(p.bare, out_null ? NULL : out_bare, &length_bare, room));
    compare("PK11_DigestFinal", status_bare, status_hooked);
    compare("*outLen of PK11_DigestFinal", length_bare, length_hooked);
    compare_out("output of PK11_DigestFinal", 256);
    if (out)
        *out = out_bare;
    if (length)
        *length = length_bare;
    return status_bare;
}

void pair_stale(PK11Context *handle, unsigned which) {
    static const char *const names[] = {"PK11_DestroyContext", "PK11_CipherOp", "PK11_DigestFinal", "PK11_DigestBegin",
                                        "PK11_DigestOp"};
    int length = 0;
    unsigned final = 0;
    SECStatus status = SECFailure;
    note("  %s of a destroyed context\n", names[which % 5]);
    prepare(NULL, 0, 256, false);
    switch (which % 5) {
    case 0:
        hooked.PK11_DestroyContext(handle, PR_TRUE);
        break;
    case 1:
        status = hooked.PK11_CipherOp(handle, out_hooked, &length, 256, out_bare, 32);
        break;
    case 2:
        status = hooked.PK11_DigestFinal(handle, out_hooked, &final, 256);
        break;
    case 3:
        status = hooked.PK11_DigestBegin(handle);
        break;
    default:
        status = hooked.PK11_DigestOp(handle, out_bare, 32);
        break;
    }
    compare("a call with a destroyed context", SECFailure, status);
    compare_out("output of a call with a destroyed context", 256);
}
