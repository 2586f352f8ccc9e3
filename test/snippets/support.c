#include "snippet.h"

/* What the hosts call, by name: they know nothing of NSS. */
void snippet_load(void);
void snippet_warm(void);

/* NSS and all its modules are loaded and initialised; nothing was called that the cache serves. */
void snippet_load(void) {
    init();
}

static bool silently(PK11SymKey *key, unsigned char out[32]) {
    static const unsigned char text[29] = "a message of twenty-nine byte";
    int length = 0;
    unsigned last = 0;
    PK11Context *context = create(key, CKA_ENCRYPT);
    bool fine = context && PK11_CipherOp(context, out, &length, 32, text, sizeof text) == SECSuccess &&
                PK11_DigestFinal(context, out + length, &last, 32 - (unsigned)length) == SECSuccess &&
                length + (int)last == 32;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    return fine;
}

/* A cache that has been in use for a while. */
void snippet_warm(void) {
    unsigned char out[32];
    init();
    for (unsigned char seed = 0; seed < 8; seed++)
        for (int i = 0; i < 3; i++) {
            PK11SymKey *key = import(seed);
            silently(key, out);
            if (key)
                PK11_FreeSymKey(key);
        }
}

SECStatus called(const char *what, SECStatus status) {
    printf("%s: %d, error %d\n", what, status, PR_GetError());
    return status;
}

void bytes(const char *what, const unsigned char *data, int length) {
    printf("%s:", what);
    for (int i = 0; i < length; i++)
        printf("%s%02x", i % 4 ? "" : " ", data[i]);
    printf(" (%d)\n", length);
}

PK11SymKey *key_for(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, unsigned char seed, unsigned length) {
    unsigned char data[64];
    memset(data, seed, sizeof data);
    SECItem item = {siBuffer, data, length};
    PK11SlotInfo *slot = PK11_GetBestSlot(mechanism, NULL);
    PK11SymKey *key = slot ? PK11_ImportSymKey(slot, mechanism, PK11_OriginUnwrap, operation, &item, NULL) : NULL;
    if (slot)
        PK11_FreeSlot(slot);
    if (!key)
        printf("no key, error %d\n", PR_GetError());
    return key;
}

bool encrypts(PK11SymKey *key, const unsigned char wanted[32]) {
    unsigned char out[32];
    return silently(key, out) && memcmp(out, wanted, sizeof out) == 0;
}

void first_answer(PK11SymKey *key, unsigned char wanted[32]) {
    if (!silently(key, wanted))
        printf("no answer, error %d\n", PR_GetError());
}
