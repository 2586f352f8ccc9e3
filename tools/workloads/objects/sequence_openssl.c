/* The same cipher text by OpenSSL with a kept context: the load's signatures for next to nothing, so that it is the
 * same load whatever the server's signing costs. Unlike the NSS sequences a state is one thread's. */
#include "sequences.h"
#include "signer.h"

#include <openssl/evp.h>

static bool nothing(void) {
    return true;
}

static void *begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt) {
    (void)keys, (void)key_bytes, (void)decrypt;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context && EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), NULL, key[0], NULL) == 1)
        return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

static void end(void *state) {
    EVP_CIPHER_CTX_free(state);
}

static bool run(void *state, struct message *m) {
    static const unsigned char iv[] = "cephsageyudagreg";
    int written = 0, last = 0;
    bool fine = EVP_EncryptInit_ex(state, NULL, NULL, NULL, iv) == 1 &&
                EVP_EncryptUpdate(state, m->out, &written, m->in, m->length) == 1 &&
                EVP_EncryptFinal_ex(state, m->out + written, &last) == 1;
    m->out_length = written + last;
    return fine || workload_failed("OpenSSL", 0);
}

const struct sequence sequence_openssl = {.name = "openssl",
                                          .key_bytes = SIGNER_KEY,
                                          .padded = true,
                                          .init = nothing,
                                          .shutdown = nothing,
                                          .begin = begin,
                                          .end = end,
                                          .run = run};
