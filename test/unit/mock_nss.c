#include "test/unit/mock_nss.h"
#include "preload/mutation.h"

#include <stdlib.h>

PK11SlotInfo mock_slot;
int mock_imports, mock_creates, mock_destroys, mock_keys_alive, mock_contexts_alive;
bool mock_create_fails;
static PRErrorCode error;

static PK11SymKey *import_key(PK11SlotInfo *slot, CK_MECHANISM_TYPE t, PK11Origin o, CK_ATTRIBUTE_TYPE a, SECItem *data,
                              void *w) {
    (void)t, (void)o, (void)a, (void)w;
    PK11SymKey *key = calloc(1, sizeof *key);
    key->references = 1;
    key->slot = slot;
    memcpy(key->bytes, data->data, data->len);
    key->data = (SECItem){siBuffer, key->bytes, data->len};
    mock_imports++;
    mock_keys_alive++;
    return key;
}
static void free_key(PK11SymKey *key) {
    assert_true(key->references > 0);
    if (--key->references == 0) {
        free(key);
        mock_keys_alive--;
    }
}
static PK11SymKey *reference_key(PK11SymKey *key) {
    key->references++;
    return key;
}
static PK11SlotInfo *reference_slot(PK11SlotInfo *slot) {
    slot->references++;
    return slot;
}
static void free_slot(PK11SlotInfo *slot) {
    assert_true(slot->references > 0);
    slot->references--;
}
static PK11SlotInfo *best_slot(CK_MECHANISM_TYPE t, void *w) {
    (void)t, (void)w;
    error = 0;
    return reference_slot(&mock_slot);
}
static PK11SlotInfo *slot_of_key(PK11SymKey *key) {
    return reference_slot(key->slot);
}
static int series(PK11SlotInfo *slot) {
    return slot->series;
}
static PRBool internal(PK11SlotInfo *slot) {
    return slot->internal;
}
static PRBool needs_login(PK11SlotInfo *slot) {
    return slot->needs_login;
}
static SECItem *key_data(PK11SymKey *key) {
    return &key->data;
}

static PK11Context *create(CK_MECHANISM_TYPE m, CK_ATTRIBUTE_TYPE op, PK11SymKey *key, const SECItem *param) {
    if (mock_create_fails) {
        error = -8000;
        return NULL;
    }
    PK11Context *context = calloc(1, sizeof *context);
    context->key = reference_key(key);
    context->mechanism = m;
    context->operation = op;
    if (param->len >= 16)
        memcpy(context->chain, param->data, 16);
    mock_creates++;
    mock_contexts_alive++;
    return context;
}
static void destroy(PK11Context *context, PRBool freeit) {
    (void)freeit;
    free_key(context->key);
    free(context);
    mock_destroys++;
    mock_contexts_alive--;
}
static SECStatus cipher_op(PK11Context *c, unsigned char *out, int *outlen, int maxout, const unsigned char *in,
                           int n) {
    assert_true(maxout >= n && n % 16 == 0);
    for (int i = 0; i < n; i++) {
        unsigned char x = in[i], y = c->operation == CKA_ENCRYPT
                                         ? (unsigned char)((x ^ c->chain[i % 16]) + c->key->bytes[0])
                                         : (unsigned char)(x - c->key->bytes[0]) ^ c->chain[i % 16];
        c->chain[i % 16] = c->operation == CKA_ENCRYPT ? y : x;
        out[i] = y;
    }
    *outlen = n;
    return SECSuccess;
}
static SECStatus final(PK11Context *c, unsigned char *out, unsigned *outlen, unsigned maxout) {
    (void)c, (void)out, (void)maxout;
    *outlen = 0;
    error = -8190;
    return SECFailure;
}
static SECStatus begin(PK11Context *c) {
    (void)c;
    return SECSuccess;
}
static PRErrorCode get_error(void) {
    return error;
}
static PRInt32 get_os_error(void) {
    return 0;
}
static void set_error(PRErrorCode code, PRInt32 os) {
    (void)os;
    error = code;
}
static SECMODListLock *no_lock(void) {
    return NULL;
}
static PRBool yes(void) {
    return PR_TRUE;
}
static SECStatus accept_callback(NSS_ShutdownFunc f, void *arg) {
    (void)f, (void)arg;
    return SECSuccess;
}

void mock_start(void) {
    root_load(); /* finds no NSS in this program: the table is ours to fill */
    real.PK11_ImportSymKey = import_key;
    real.PK11_FreeSymKey = free_key;
    real.PK11_ReferenceSymKey = reference_key;
    real.PK11_ReferenceSlot = reference_slot;
    real.PK11_FreeSlot = free_slot;
    real.PK11_GetBestSlot = best_slot;
    real.PK11_GetSlotFromKey = slot_of_key;
    real.PK11_GetSlotSeries = series;
    real.PK11_IsInternal = internal;
    real.PK11_NeedLogin = needs_login;
    real.PK11_GetKeyData = key_data;
    real.PK11_CreateContextBySymKey = create;
    real.PK11_DestroyContext = destroy;
    real.PK11_CipherOp = cipher_op;
    real.PK11_DigestFinal = final;
    real.PK11_DigestBegin = begin;
    real.PR_GetError = get_error;
    real.PR_GetOSError = get_os_error;
    real.PR_SetError = set_error;
    real.SECMOD_GetDefaultModuleListLock = no_lock;
    real.NSS_IsInitialized = yes;
    real.NSS_RegisterShutdown = accept_callback;
    mock_slot = (PK11SlotInfo){.references = 1, .series = 1, .internal = true};
    mock_create_fails = false;
    atomic_store(&process.mode, MODE_UP);
    mock_imports = mock_creates = mock_destroys = 0;
}

void mock_stop(void) {
    cache_shutdown();
}

PK11SymKey *mock_import(unsigned char byte, unsigned length) {
    unsigned char bytes[300];
    memset(bytes, byte, sizeof bytes);
    SECItem item = {siBuffer, bytes, length};
    struct identity identity = {&mock_slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, NULL};
    return cache_import(&identity, &item);
}

PK11Context *mock_create(PK11SymKey *key, CK_ATTRIBUTE_TYPE operation, unsigned char iv_byte) {
    unsigned char iv[16];
    memset(iv, iv_byte, sizeof iv);
    SECItem param = {siBuffer, iv, sizeof iv};
    struct request request = {.mechanism = CKM_AES_CBC, .operation = operation, .sym = key, .param = &param};
    return cache_create(&request);
}
