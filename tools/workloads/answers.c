#include "answers.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

static int encrypt(const struct sequence *sequence, const unsigned char *key, const unsigned char *iv,
                   const unsigned char *plain, int length, unsigned char *out) {
    const EVP_CIPHER *cipher = sequence->key_bytes == 32 ? EVP_aes_256_cbc() : EVP_aes_128_cbc();
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int used = 0, last = 0;
    bool fine = context && EVP_EncryptInit_ex(context, cipher, NULL, key, iv) == 1 &&
                EVP_CIPHER_CTX_set_padding(context, sequence->padded) == 1 &&
                EVP_EncryptUpdate(context, out, &used, plain, length) == 1 &&
                EVP_EncryptFinal_ex(context, out + used, &last) == 1;
    EVP_CIPHER_CTX_free(context);
    return fine ? used + last : -1;
}

int answer_encrypt(const struct sequence *sequence, const unsigned char *key, const unsigned char *iv,
                   const unsigned char *plain, int length, unsigned char *out) {
    if (!sequence->packets)
        return encrypt(sequence, key, iv, plain, length, out);
    memcpy(out, iv, WORKLOAD_IV);
    int used = encrypt(sequence, key, iv, plain, length, out + WORKLOAD_IV);
    unsigned hash = 0;
    if (used < 0)
        return -1;
    used += WORKLOAD_IV;
    if (!HMAC(EVP_sha256(), key, (int)sequence->key_bytes, out, (size_t)used, out + used, &hash))
        return -1;
    return used + (int)hash;
}
