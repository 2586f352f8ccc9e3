// The yardstick Crypto++, with the key schedule kept: what Ceph could be built with instead of NSS.
#include <cryptopp/aes.h>
#include <cryptopp/filters.h>
#include <cryptopp/modes.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "workload.h"
}

namespace {

struct Kept {
    std::vector<std::unique_ptr<CryptoPP::AES::Encryption>> encrypt;
    std::vector<std::unique_ptr<CryptoPP::AES::Decryption>> decrypt;
};

void *begin(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool) {
    auto *kept = new Kept;
    for (unsigned i = 0; i < keys; i++) {
        kept->encrypt.emplace_back(new CryptoPP::AES::Encryption(key[i], key_bytes));
        kept->decrypt.emplace_back(new CryptoPP::AES::Decryption(key[i], key_bytes));
    }
    return kept;
}

void end(void *state) { delete static_cast<Kept *>(state); }

bool through(CryptoPP::StreamTransformation &mode, struct message *m) {
    auto *sink = new CryptoPP::ArraySink(m->out, static_cast<size_t>(m->length) + WORKLOAD_SLACK);
    try {
        CryptoPP::StreamTransformationFilter filter(mode, sink);
        filter.Put(m->in, static_cast<size_t>(m->length));
        filter.MessageEnd();
        m->out_length = static_cast<int>(sink->TotalPutLength());
        return true;
    } catch (const CryptoPP::Exception &) {
        return workload_failed("Crypto++", 0);
    }
}

bool run(void *state, struct message *m) {
    auto *kept = static_cast<Kept *>(state);
    if (m->decrypt) {
        CryptoPP::CBC_Mode_ExternalCipher::Decryption mode(*kept->decrypt[m->key_index], m->iv);
        return through(mode, m);
    }
    CryptoPP::CBC_Mode_ExternalCipher::Encryption mode(*kept->encrypt[m->key_index], m->iv);
    return through(mode, m);
}

bool nothing() { return true; }

} // namespace

int main(int argc, char **argv) {
    struct sequence cryptopp = {};
    cryptopp.name = "cryptopp";
    cryptopp.key_bytes = 16;
    cryptopp.padded = true;
    cryptopp.init = nothing;
    cryptopp.shutdown = nothing;
    cryptopp.begin = begin;
    cryptopp.end = end;
    cryptopp.run = run;
    return workload_main(argc, argv, &cryptopp);
}
