/* A program that encrypts by OpenSSL. */
#include <openssl/evp.h>

int main(void) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int fine = EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), NULL, NULL, NULL);
    EVP_CIPHER_CTX_free(context);
    return !fine;
}
