#include "mechanisms.h"

#include <stdio.h>

const struct mechanism mechanisms[] = {
    {"AES_CBC_PAD-128", CKM_AES_CBC_PAD, 16, 16, 16, true, false, 0, 60},
    {"AES_CBC_PAD-192", CKM_AES_CBC_PAD, 24, 16, 16, true, false, 0, 20},
    {"AES_CBC_PAD-256", CKM_AES_CBC_PAD, 32, 16, 16, true, false, 0, 20},
    {"AES_CBC-128", CKM_AES_CBC, 16, 16, 16, false, false, 0, 20},
    {"AES_CBC-192", CKM_AES_CBC, 24, 16, 16, false, false, 0, 10},
    {"AES_CBC-256", CKM_AES_CBC, 32, 16, 16, false, false, 0, 20},
    {"AES_ECB-128", CKM_AES_ECB, 16, 0, 16, false, false, 0, 5},
    {"AES_ECB-256", CKM_AES_ECB, 32, 0, 16, false, false, 0, 5},
    {"AES_CTR-128", CKM_AES_CTR, 16, sizeof(CK_AES_CTR_PARAMS), 1, false, false, 0, 5},
    {"AES_CTR-256", CKM_AES_CTR, 32, sizeof(CK_AES_CTR_PARAMS), 1, false, false, 0, 5},
    {"AES_GCM-128", CKM_AES_GCM, 16, sizeof(CK_NSS_GCM_PARAMS), 1, false, false, 0, 2},
    {"AES_CTS-128", CKM_AES_CTS, 16, 16, 1, false, false, 0, 2},
    {"DES_CBC", CKM_DES_CBC, 8, 8, 8, false, false, 0, 2},
    {"DES_CBC_PAD", CKM_DES_CBC_PAD, 8, 8, 8, true, false, 0, 2},
    {"DES3_ECB", CKM_DES3_ECB, 24, 0, 8, false, false, 0, 2},
    {"DES3_CBC", CKM_DES3_CBC, 24, 8, 8, false, false, 0, 5},
    {"DES3_CBC_PAD", CKM_DES3_CBC_PAD, 24, 8, 8, true, false, 0, 5},
    {"CAMELLIA_ECB", CKM_CAMELLIA_ECB, 16, 0, 16, false, false, 0, 2},
    {"CAMELLIA_CBC", CKM_CAMELLIA_CBC, 16, 16, 16, false, false, 0, 5},
    {"CAMELLIA_CBC_PAD", CKM_CAMELLIA_CBC_PAD, 32, 16, 16, true, false, 0, 5},
    {"SEED_CBC", CKM_SEED_CBC, 16, 16, 16, false, false, 0, 2},
    {"SEED_CBC_PAD", CKM_SEED_CBC_PAD, 16, 16, 16, true, false, 0, 4},
    {"RC4", CKM_RC4, 16, 0, 1, false, false, 0, 2},
    {"MD5_HMAC", CKM_MD5_HMAC, 16, 0, 1, false, true, 0, 5},
    {"SHA_1_HMAC", CKM_SHA_1_HMAC, 20, 0, 1, false, true, 0, 8},
    {"SHA224_HMAC", CKM_SHA224_HMAC, 28, 0, 1, false, true, 0, 4},
    {"SHA256_HMAC", CKM_SHA256_HMAC, 32, 0, 1, false, true, 0, 15},
    {"SHA384_HMAC", CKM_SHA384_HMAC, 48, 0, 1, false, true, 0, 5},
    {"SHA512_HMAC", CKM_SHA512_HMAC, 64, 0, 1, false, true, 0, 5},
    {"AES_CMAC", CKM_AES_CMAC, 16, 0, 1, false, true, 0, 3},
    {"MD5", CKM_MD5, 0, 0, 1, false, true, SEC_OID_MD5, 5},
    {"SHA1", CKM_SHA_1, 0, 0, 1, false, true, SEC_OID_SHA1, 5},
    {"SHA224", CKM_SHA224, 0, 0, 1, false, true, SEC_OID_SHA224, 4},
    {"SHA256", CKM_SHA256, 0, 0, 1, false, true, SEC_OID_SHA256, 10},
    {"SHA384", CKM_SHA384, 0, 0, 1, false, true, SEC_OID_SHA384, 4},
    {"SHA512", CKM_SHA512, 0, 0, 1, false, true, SEC_OID_SHA512, 5},
    {"no digest", CKM_INVALID_MECHANISM, 0, 0, 1, false, true, SEC_OID_AES_128_CBC, 1},
    {"no mechanism", CKM_INVALID_MECHANISM, 16, 0, 1, false, false, 0, 1},
};
const unsigned mechanisms_count = sizeof mechanisms / sizeof *mechanisms;

bool mechanisms_mix(const struct mechanism *a, const struct mechanism *b) {
    return a->digest == b->digest && a->key_bytes == b->key_bytes && a->signs == b->signs && a->type != CKM_AES_CMAC &&
           b->type != CKM_AES_CMAC;
}

const char *mechanism_name(CK_MECHANISM_TYPE type) {
    static char text[64];
    for (unsigned i = 0; i < mechanisms_count; i++)
        if (mechanisms[i].type == type && type != CKM_INVALID_MECHANISM) {
            snprintf(text, sizeof text, "CKM_%s", mechanisms[i].name);
            for (char *p = text; *p; p++)
                if (*p == '-')
                    *p = 0; /* the key size is told by the import */
            return text;
        }
    snprintf(text, sizeof text, "mechanism 0x%lx", type);
    return text;
}

const char *operation_name(CK_ATTRIBUTE_TYPE operation) {
    switch (operation) {
    case CKA_ENCRYPT:
        return "CKA_ENCRYPT";
    case CKA_DECRYPT:
        return "CKA_DECRYPT";
    case CKA_SIGN:
        return "CKA_SIGN";
    case CKA_VERIFY:
        return "CKA_VERIFY";
    case CKA_WRAP:
        return "CKA_WRAP";
    case CKA_UNWRAP:
        return "CKA_UNWRAP";
    default:
        return "another operation";
    }
}
