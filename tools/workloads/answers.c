#include "answers.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

int answer_encrypt(const struct sequence *sequence, const unsigned char *key, const unsigned char *iv,
                   const unsigned char *plain, int length, unsigned char *out) {
    const EVP_CIPHER *cipher = sequence->key_bytes == 32 ? EVP_aes_256_cbc() : EVP_aes_128_cbc();
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int used = 0, last = 0;
    bool fine = context && EVP_EncryptInit_ex(context, cipher, NULL, key, iv) == 1 &&
                EVP_CIPHER_CTX_set_padding(context, sequence->padded) == 1 &&
                EVP_EncryptUpdate(context, out, &used, plain, length) == 1 &&
                EVP_EncryptFinal_ex(context, out + used, &last) == 1;
    EVP_CIPHER_CTX_free(context);
    used += last;
    if (fine && sequence->signs) {
        unsigned digest = 0;
        fine = HMAC(EVP_sha256(), key, (int)sequence->key_bytes, out, (size_t)used, out + used, &digest) != NULL;
        used += (int)digest;
    }
    return fine ? used : -1;
}
