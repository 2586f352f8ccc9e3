#include "stats/names.h"
#include "preload/nss_types.h"

struct name {
    unsigned long value;
    const char *text;
};

#define NAME(symbol)                                                                                                   \
    { symbol, #symbol }

static const struct name mechanisms[] = {
    NAME(CKM_AES_CBC),      NAME(CKM_AES_CBC_PAD),  NAME(CKM_AES_ECB),
    NAME(CKM_AES_CTR),      NAME(CKM_AES_GCM),      NAME(CKM_AES_CMAC),
    NAME(CKM_AES_KEY_WRAP), NAME(CKM_DES_CBC),      NAME(CKM_DES_CBC_PAD),
    NAME(CKM_DES_ECB),      NAME(CKM_DES3_CBC),     NAME(CKM_DES3_CBC_PAD),
    NAME(CKM_DES3_ECB),     NAME(CKM_CAMELLIA_CBC), NAME(CKM_CAMELLIA_CBC_PAD),
    NAME(CKM_CAMELLIA_ECB), NAME(CKM_SEED_CBC),     NAME(CKM_SEED_CBC_PAD),
    NAME(CKM_SEED_ECB),     NAME(CKM_RC4),          NAME(CKM_MD5_HMAC),
    NAME(CKM_SHA_1_HMAC),   NAME(CKM_SHA224_HMAC),  NAME(CKM_SHA256_HMAC),
    NAME(CKM_SHA384_HMAC),  NAME(CKM_SHA512_HMAC),  NAME(CKM_MD5),
    NAME(CKM_SHA_1),        NAME(CKM_SHA256),       NAME(CKM_SHA384),
    NAME(CKM_SHA512),       NAME(CKM_RSA_PKCS),     NAME(CKM_GENERIC_SECRET_KEY_GEN),
};
static const struct name operations[] = {
    NAME(CKA_ENCRYPT), NAME(CKA_DECRYPT), NAME(CKA_SIGN),   NAME(CKA_VERIFY),
    NAME(CKA_DIGEST),  NAME(CKA_WRAP),    NAME(CKA_UNWRAP), NAME(CKA_DERIVE),
};

static void add(struct text *text, const char *kind, const struct name *names, size_t count, unsigned long value) {
    for (size_t i = 0; i < count; i++)
        if (names[i].value == value) {
            text_add(text, "%s", names[i].text);
            return;
        }
    text_add(text, "%s 0x%lx", kind, value);
}

void names_add_what(struct text *text, unsigned long mechanism, unsigned long operation) {
    if (operation == CKA_DIGEST)
        text_add(text, "digest (SECOidTag %lu)", mechanism);
    else
        add(text, "mechanism", mechanisms, sizeof mechanisms / sizeof *mechanisms, mechanism);
    if (operation && operation != CKA_DIGEST) {
        text_add(text, " ");
        add(text, "operation", operations, sizeof operations / sizeof *operations, operation);
    }
}
