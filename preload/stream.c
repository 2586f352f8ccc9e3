#include "preload/stream.h"
#include "preload/copy.h"
#include "preload/mutation.h"
#include "preload/secret.h"

#include <string.h>

/* Up to this many bytes are copied, so that one call into NSS does it all; beyond, a second and third call cost less.
 */
enum { COPIED = 1024 };

static inline void xor_block(unsigned char *p, const unsigned char *a, const unsigned char *b) {
    uint64_t p2[2], a2[2], b2[2];
    memcpy(p2, p, BLOCK);
    memcpy(a2, a, BLOCK);
    memcpy(b2, b, BLOCK);
    p2[0] ^= a2[0] ^ b2[0];
    p2[1] ^= a2[1] ^ b2[1];
    memcpy(p, p2, BLOCK);
}

static inline void fold(const struct record *r, unsigned char *block) {
    if (r->fold && !(MUTATED(MUTATION_NO_FOLD) && r->generation > 1))
        xor_block(block, r->logical, r->chain);
}

static inline bool engine_op(struct record *r, unsigned char *out, const unsigned char *in, size_t n) {
    int got = 0;
    return real.PK11_CipherOp(r->engine, out, &got, (int)n, in, (int)n) == SECSuccess && got == (int)n;
}

static enum stream_result failed(struct record *r, int *outlen) {
    r->tainted = true;
    r->active = false;
    if (outlen)
        *outlen = 0; /* as pk11cxt.c, PK11_CipherOp */
    return STREAM_FAILED;
}

void stream_begin(struct record *r, const unsigned char *iv) {
    memcpy(r->logical, iv, BLOCK);
    r->init = r->active = r->fold = true;
    r->consumed = r->has_final = false;
    r->buffered = 0;
}

static inline void put_padding(unsigned char *block, unsigned pad) {
    memset(block, (int)(MUTATED(MUTATION_PAD_BYTE) ? pad ^ 1 : pad), BLOCK);
}

/* Encrypt `whole` bytes of buffer + in, and with padding also the block that the final will ask for, in one call. */
static enum stream_result encrypt_copied(struct record *r, unsigned char *out, int *outlen, const unsigned char *in,
                                         size_t n, size_t whole) {
    unsigned char scratch[COPIED + BLOCK] __attribute__((aligned(16)));
    size_t total = r->buffered + n, rest = total - whole, length = whole + (r->padded ? BLOCK : 0);
    if (r->padded) /* first the last block full of padding, then the bytes before it */
        put_padding(scratch + whole, (unsigned)(BLOCK - rest));
    copy_short(scratch, r->buffer, r->buffered);
    copy_short(scratch + r->buffered, in, n);
    copy_short(r->buffer, scratch + whole, rest);
    fold(r, scratch);
    if (!engine_op(r, scratch, scratch, length)) {
        secret_wipe(scratch, sizeof scratch);
        return failed(r, outlen);
    }
    /* scratch is cipher text now: nothing to wipe */
    if (whole) {
        copy_short(out, scratch, whole);
        memcpy(r->logical, scratch + whole - BLOCK, BLOCK);
        r->consumed = true;
    }
    memcpy(r->chain, scratch + length - BLOCK, BLOCK);
    r->fold = r->padded;
    if (r->padded)
        memcpy(r->final, scratch + whole, BLOCK);
    r->has_final = r->padded;
    r->buffered = (uint8_t)rest;
    *outlen = (int)(whole + (MUTATED(MUTATION_EARLY_BLOCK) && r->padded ? BLOCK : 0));
    if (MUTATED(MUTATION_OVERRUN) && r->padded && out)
        out[whole] = r->final[0];
    if (MUTATED(MUTATION_CHAIN) && r->padded)
        r->logical[0] ^= 1;
    return STREAM_DONE;
}

/* A long one: the first block by itself, the middle where it lies, and the final is left for later. */
static enum stream_result encrypt_long(struct record *r, unsigned char *out, int *outlen, const unsigned char *in,
                                       size_t n, size_t whole) {
    unsigned char first[BLOCK], rest_bytes[BLOCK];
    size_t head = (size_t)BLOCK - r->buffered, rest = r->buffered + n - whole;
    memcpy(first, r->buffer, r->buffered);
    memcpy(first + r->buffered, in, head);
    memcpy(rest_bytes, in + n - rest, rest);
    fold(r, first);
    if (!engine_op(r, out, first, BLOCK) || !engine_op(r, out + BLOCK, in + head, whole - BLOCK)) {
        secret_wipe(first, sizeof first);
        secret_wipe(rest_bytes, sizeof rest_bytes);
        return failed(r, outlen);
    }
    memcpy(r->buffer, rest_bytes, rest);
    secret_wipe(first, sizeof first);
    secret_wipe(rest_bytes, sizeof rest_bytes);
    memcpy(r->chain, out + whole - BLOCK, BLOCK);
    memcpy(r->logical, r->chain, BLOCK);
    r->fold = r->has_final = false;
    r->consumed = true;
    r->buffered = (uint8_t)rest;
    *outlen = (int)whole;
    return STREAM_DONE;
}

static inline bool disjoint(const unsigned char *a, size_t n, const unsigned char *b, size_t m) {
    return (uintptr_t)a + n <= (uintptr_t)b || (uintptr_t)b + m <= (uintptr_t)a;
}

static enum stream_result encrypt(struct record *r, unsigned char *out, int *outlen, size_t room,
                                  const unsigned char *in, size_t n) {
    size_t total = r->buffered + n, whole = total & ~(size_t)(BLOCK - 1);
    if (!r->padded && (!n || whole != n))
        return STREAM_UNSURE;
    if (room < whole || (!in && n))
        return STREAM_UNSURE;
    /* In place is safe from the start of a block on; with bytes in the buffer NSS overwrites what it has yet to read.
     */
    if (whole && !disjoint(out, whole, in, n) && (out != in || r->buffered))
        return STREAM_UNSURE;
    if (total <= COPIED)
        return encrypt_copied(r, out, outlen, in, n, whole);
    return encrypt_long(r, out, outlen, in, n, whole);
}

/* What the last block of a padded message chains on, and the block itself, are kept for a real context to take over. */
static enum stream_result decrypt_padded(struct record *r, unsigned char *out, int *outlen, const unsigned char *in,
                                         size_t n) {
    unsigned char scratch[COPIED], before[BLOCK], last[BLOCK];
    size_t held = r->has_final ? BLOCK : 0, body = n - BLOCK;
    memcpy(last, in + body, BLOCK);
    if (body)
        memcpy(before, in + body - BLOCK, BLOCK);
    else
        memcpy(before, held ? r->buffer : r->logical, BLOCK);
    unsigned char block[BLOCK];
    if (n <= COPIED) {
        if (!engine_op(r, scratch, in, n))
            return failed(r, outlen);
        fold(r, scratch);
        copy_short(out, r->final, held);
        copy_short(out + held, scratch, body);
        memcpy(r->final, scratch + body, BLOCK);
        secret_wipe(scratch, n);
    } else {
        if (!engine_op(r, out + held, in, body) || !engine_op(r, block, last, BLOCK))
            return failed(r, outlen);
        fold(r, out + held);
        memcpy(out, r->final, held);
        memcpy(r->final, block, BLOCK);
        secret_wipe(block, sizeof block);
    }
    memcpy(r->logical, before, BLOCK);
    memcpy(r->buffer, last, BLOCK);
    memcpy(r->chain, last, BLOCK);
    r->fold = false;
    r->consumed = r->consumed || held || body;
    r->has_final = true;
    r->buffered = BLOCK;
    *outlen = (int)(held + body);
    return STREAM_DONE;
}

static enum stream_result decrypt_unpadded(struct record *r, unsigned char *out, int *outlen, const unsigned char *in,
                                           size_t n) {
    unsigned char last[BLOCK];
    memcpy(last, in + n - BLOCK, BLOCK);
    if (!engine_op(r, out, in, n))
        return failed(r, outlen);
    fold(r, out);
    memcpy(r->chain, last, BLOCK);
    memcpy(r->logical, last, BLOCK);
    r->fold = false;
    r->consumed = true;
    *outlen = (int)n;
    return STREAM_DONE;
}

static enum stream_result decrypt(struct record *r, unsigned char *out, int *outlen, size_t room,
                                  const unsigned char *in, size_t n) {
    size_t held = r->padded && r->has_final ? BLOCK : 0, gives = r->padded ? held + n - BLOCK : n;
    if (!in || !n || n % BLOCK || room < gives)
        return STREAM_UNSURE;
    if (!disjoint(out, gives, in, n) && (out != in || held))
        return STREAM_UNSURE;
    return r->padded ? decrypt_padded(r, out, outlen, in, n) : decrypt_unpadded(r, out, outlen, in, n);
}

enum stream_result stream_cipher_op(struct record *r, unsigned char *out, int *outlen, int maxout,
                                    const unsigned char *in, int inlen) {
    if (!r->active || !out || inlen < 0 || maxout < 0)
        return STREAM_UNSURE;
    return r->decrypt ? decrypt(r, out, outlen, (size_t)maxout, in, (size_t)inlen)
                      : encrypt(r, out, outlen, (size_t)maxout, in, (size_t)inlen);
}

static unsigned leaky_padding(const unsigned char block[BLOCK]) {
    unsigned pad = block[BLOCK - 1];
    if (pad < 1 || pad > BLOCK)
        return 0;
    for (unsigned i = 1; i < pad; i++)
        if (block[BLOCK - 1 - i] != pad)
            return 0;
    return pad;
}

unsigned stream_padding(const unsigned char block[BLOCK]) {
    if (MUTATED(MUTATION_LEAKY_PADDING))
        return leaky_padding(block);
    unsigned pad = block[BLOCK - 1];
    unsigned bad = ((pad - 1) >> 8) | ((BLOCK - pad) >> 8); /* pad < 1 or pad > 16 underflows */
    for (unsigned i = 0; i < BLOCK; i++) {
        unsigned inside = (i - pad) >> 8; /* ones when i < pad */
        bad |= inside & (block[BLOCK - 1 - i] ^ pad);
    }
    unsigned good = (((bad | (0u - bad)) >> 31) & 1) - 1; /* ones when bad is 0 */
    __asm__("" : "+r"(good));
    return pad & good & 0xff;
}

static enum stream_result final_decrypt(struct record *r, unsigned char *out, unsigned *outlen) {
    r->active = r->init = false;
    if (!r->has_final) {
        *outlen = 0;
        return STREAM_DONE;
    }
    unsigned pad = stream_padding(r->final);
    /* NSS writes the whole block, whatever the padding is (pkcs11c.c, NSC_DecryptFinal). */
    memcpy(out, r->final, BLOCK);
    r->buffered = 0;
    unsigned good = 0u - (unsigned)(pad != 0);
    *outlen = (good & (BLOCK - pad)) | (~good & *outlen);
    if (MUTATED(MUTATION_FINAL_LENGTH))
        *outlen += 1;
    return pad ? STREAM_DONE : STREAM_BAD_PADDING;
}

enum stream_result stream_final(struct record *r, unsigned char *out, unsigned *outlen, unsigned maxout) {
    if (!r->active || !out)
        return STREAM_UNSURE;
    if (!r->padded) {
        r->active = r->init = false;
        *outlen = 0;
        return STREAM_DONE;
    }
    if (maxout < BLOCK)
        return STREAM_UNSURE;
    if (r->decrypt)
        return final_decrypt(r, out, outlen);
    int none;
    if (!r->has_final && encrypt_copied(r, NULL, &none, NULL, 0, 0) != STREAM_DONE) {
        r->init = false;
        return STREAM_FAILED;
    }
    memcpy(out, r->final, BLOCK);
    *outlen = BLOCK;
    r->active = r->init = false;
    r->buffered = 0;
    return STREAM_DONE;
}

enum stream_result stream_restart(struct record *r) {
    if (r->init)
        return STREAM_DONE;
    if (r->active || r->tainted)
        return STREAM_UNSURE;
    stream_begin(r, r->param);
    if (MUTATED(MUTATION_BEGIN_IV))
        r->logical[0] ^= 1;
    return STREAM_DONE;
}
