#include "signer.h"
#include "sequences.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const unsigned char default_secret[SIGNER_KEY] = "no secret: test";

/* What the sequences call; the workloads' own frame, which has another, isn't linked here. */
bool workload_failed(const char *call, long error) {
    fprintf(stderr, "%s: %s failed with error %ld\n", program_invocation_short_name, call, error);
    return false;
}

bool signing_named(struct signing *signing, const char *name) {
    static const struct sequence *const eras[] = {&sequence_hammer, &sequence_infernalis, &sequence_openssl};
    signing->sequence = NULL;
    for (size_t i = 0; i < sizeof eras / sizeof *eras; i++)
        if (!strcmp(name, eras[i]->name))
            signing->sequence = eras[i];
    return signing->sequence || !strcmp(name, "none");
}

const char *signing_name(const struct signing *signing) {
    return signing->sequence ? signing->sequence->name : "none";
}

void signing_default(struct signing *signing) {
    memcpy(signing->secret, default_secret, SIGNER_KEY);
}

static int digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c | 0x20) : NULL;
    return found ? (int)(found - digits) : -1;
}

bool signing_secret(struct signing *signing, const char *hex) {
    for (int i = 0; i < SIGNER_KEY; i++) {
        int high = digit(hex[2 * i]), low = high < 0 ? -1 : digit(hex[2 * i + 1]);
        if (low < 0)
            return false;
        signing->secret[i] = (unsigned char)(high << 4 | low);
    }
    return !hex[2 * SIGNER_KEY];
}

bool signing_start(const struct signing *signing) {
    return !signing->sequence || signing->sequence->init();
}

bool signing_stop(const struct signing *signing) {
    return !signing->sequence || signing->sequence->shutdown();
}

static void *begin(const struct sequence *sequence, const unsigned char *key) {
    return sequence->begin ? sequence->begin(1, &key, SIGNER_KEY, false) : NULL;
}

/* The cipher text of `length` bytes, into `out` (length + WORKLOAD_SLACK bytes). */
static bool encrypt(const struct signer *signer, const unsigned char *in, int length, unsigned char *out) {
    struct message m = {.key = signer->key, .in = in, .length = length, .out = out};
    return signer->sequence->run(signer->state, &m) && m.out_length == length / 16 * 16 + 16;
}

bool signer_open(struct signer *signer, const struct signing *signing, const unsigned char nonce[NONCE_BYTES]) {
    unsigned char out[NONCE_BYTES + WORKLOAD_SLACK];
    *signer = (struct signer){.sequence = signing->sequence};
    if (!signer->sequence)
        return true;
    memcpy(signer->key, signing->secret, SIGNER_KEY);
    signer->state = begin(signer->sequence, signer->key);
    bool fine = (signer->state || !signer->sequence->begin) && encrypt(signer, nonce, NONCE_BYTES, out);
    signer_close(signer);
    if (!fine)
        return false;
    memcpy(signer->key, out, SIGNER_KEY);
    signer->state = begin(signer->sequence, signer->key);
    return signer->state || !signer->sequence->begin;
}

void signer_close(struct signer *signer) {
    if (signer->state)
        signer->sequence->end(signer->state);
    signer->state = NULL;
}

/* Ceph takes its 64 bits from the front of the cipher text, where they depend on the first 16 bytes only (found in
 * 2018, CVE-2018-1129). Here they come from the second block, which depends on all: the tests want to see any change.
 */
static bool compute(const struct signer *signer, const struct frame *frame, uint64_t *signature) {
    unsigned char block[SIGNED_BYTES], out[SIGNED_BYTES + WORKLOAD_SLACK];
    frame_signed_bytes(frame, block);
    if (!encrypt(signer, block, SIGNED_BYTES, out))
        return false;
    *signature = wire_get(out + 16, 8);
    return true;
}

bool signer_sign(const struct signer *signer, struct frame *frame) {
    frame->is_signed = signer->sequence != NULL;
    frame->signature = 0;
    return !signer->sequence || compute(signer, frame, &frame->signature);
}

bool signer_check(const struct signer *signer, const struct frame *frame) {
    uint64_t expected;
    return !signer->sequence || (frame->is_signed && compute(signer, frame, &expected) && expected == frame->signature);
}
