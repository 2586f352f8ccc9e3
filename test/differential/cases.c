/* Fixed cases: what once went wrong somewhere (BACKGROUND: Ceph, NSS), and what the generator meets too
 * seldom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pair.h"
#include "preload/cache.h"
#include "stats/counters.h"

static unsigned char text[4096], iv[64] = "cephsageyudagreg";
static struct keys key;

static struct keys a_key(unsigned char byte) {
    unsigned char bytes[16];
    memset(bytes, byte, sizeof bytes);
    return pair_import(CKM_AES_CBC_PAD, CKA_ENCRYPT, bytes, sizeof bytes);
}

static struct pair with_param(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, unsigned length) {
    SECItem param = {siBuffer, length ? iv : NULL, length};
    return pair_create(mechanism, operation, key, &param);
}

static struct pair padded(CK_ATTRIBUTE_TYPE operation) {
    return with_param(CKM_AES_CBC_PAD, operation, 17);
}

static int start(void **state) {
    (void)state;
    pair_sequence(0, " (a fixed case)");
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 5);
    key = a_key(7);
    /* so that the next create is a hit */
    pair_destroy(padded(CKA_ENCRYPT));
    pair_destroy(padded(CKA_DECRYPT));
    return 0;
}

static int finish(void **state) {
    (void)state;
    pair_free_keys(key);
    if (pair_different)
        pair_report();
    return pair_different;
}

static void op(struct pair p, int n) {
    pair_cipher_op(p, text, n, n + 64, false, false, NULL, NULL);
}
static void end(struct pair p) {
    pair_final(p, 16, false, NULL, NULL);
}

static void hammer(void **state) {
    (void)state;
    for (int n = 0; n < 70; n++) {
        struct pair p = padded(CKA_ENCRYPT);
        assert_true(is_handle(p.hooked));
        op(p, n);
        end(p);
        pair_destroy(p);
    }
}

static void final_alone(void **state) {
    (void)state;
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        struct pair p = padded(decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
        end(p);
        end(p); /* -8191 */
        pair_begin(p);
        op(p, 32);
        end(p);
        pair_destroy(p);
    }
}

static void bad_padding_then_begin(void **state) {
    (void)state;
    struct pair p = padded(CKA_DECRYPT);
    for (int round = 0; round < 20; round++) {
        op(p, 16 + 16 * (round % 4)); /* no cipher text: its padding is bad but for once in 256 */
        end(p);
        op(p, 16); /* after the end */
        pair_begin(p);
    }
    pair_destroy(p);
}

static void begin_in_the_middle(void **state) {
    (void)state;
    struct pair p = padded(CKA_ENCRYPT);
    op(p, 29);
    pair_begin(p); /* does nothing */
    op(p, 7);
    end(p);
    pair_begin(p);
    op(p, 29);
    end(p);
    pair_destroy(p);
}

static void size_queries(void **state) {
    (void)state;
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        struct pair p = padded(decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
        op(p, 48);
        pair_cipher_op(p, text, 64, 0, false, true, NULL, NULL);
        op(p, 64);
        pair_final(p, 0, true, NULL, NULL);
        op(p, 32);
        end(p);
        pair_begin(p);
        op(p, 32);
        pair_final(p, 0, true, NULL, NULL);
        pair_begin(p); /* rebased: the caller's IV again */
        op(p, 32);
        end(p);
        pair_destroy(p);
    }
}

static void python_nss(void **state) {
    (void)state;
    struct pair p = padded(CKA_ENCRYPT);
    pair_cipher_op(p, text, 100, 0, false, true, NULL, NULL);
    op(p, 100);
    pair_final(p, 0, true, NULL, NULL);
    end(p);
    pair_destroy(p);
}

static void no_room(void **state) {
    (void)state;
    for (int room = -1; room < 50; room++) {
        struct pair p = padded(CKA_ENCRYPT);
        op(p, 5);
        pair_cipher_op(p, text, 48, room, false, false, NULL, NULL);
        op(p, 20);
        end(p);
        pair_destroy(p);
    }
    for (unsigned room = 0; room < 20; room++) {
        struct pair p = padded(CKA_ENCRYPT);
        op(p, 40);
        pair_final(p, room, false, NULL, NULL);
        end(p);
        pair_destroy(p);
    }
}

static void in_place(void **state) {
    (void)state;
    for (int decrypt = 0; decrypt < 2; decrypt++)
        for (int n = 16; n < 3000; n += 16) {
            struct pair p = padded(decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
            pair_cipher_op(p, text, n, n + 64, true, false, NULL, NULL);
            pair_cipher_op(p, text, n, n + 64, true, false, NULL,
                           NULL); /* with bytes held back: NSS overwrites what it has to read */
            end(p);
            pair_destroy(p);
        }
}

static void two_at_once(void **state) {
    (void)state;
    struct pair a = padded(CKA_ENCRYPT), b = padded(CKA_ENCRYPT);
    iv[0] ^= 1;
    struct pair c = padded(CKA_ENCRYPT);
    for (int i = 1; i < 40; i++) {
        op(a, i);
        op(b, 40 - i);
        op(c, 3 * i);
    }
    end(b);
    end(a);
    end(c);
    pair_destroy(b);
    pair_destroy(c);
    pair_destroy(a);
    iv[0] ^= 1;
}

static void every_parameter_length(void **state) {
    (void)state;
    for (unsigned length = 0; length <= 64; length++)
        for (int i = 0; i < 4; i++) {
            struct pair p =
                with_param(i % 2 ? CKM_AES_CBC : CKM_AES_CBC_PAD, i / 2 ? CKA_DECRYPT : CKA_ENCRYPT, length);
            if (!p.bare || !p.hooked)
                continue;
            if (length >= 16) /* a shorter one is read beyond its end: what follows is by chance */
                op(p, 32);
            pair_destroy(p);
        }
    struct pair none = pair_create(CKM_AES_CBC_PAD, CKA_ENCRYPT, key, NULL);
    assert_null(none.bare);
    assert_null(none.hooked);
}

static void finalise_then(void **state) {
    (void)state;
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        struct pair p = padded(decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
        op(p, 48);
        pair_finalize(p);
        op(p, 16);
        pair_begin(p);
        op(p, 16);
        pair_finalize(p);
        end(p);
        pair_begin(p);
        op(p, 32);
        end(p);
        pair_destroy(p);
    }
}

static void save_and_clone(void **state) {
    (void)state;
    struct pair cipher = padded(CKA_ENCRYPT), digest = pair_digest(SEC_OID_SHA256), other = pair_digest(SEC_OID_SHA256);
    op(cipher, 20);
    pair_save_restore(cipher, cipher);
    pair_destroy(pair_clone(digest));
    pair_digest_op(digest, text, 100);
    struct pair clone = pair_clone(digest);
    pair_save_restore(digest, other);
    pair_digest_op(digest, text, 50);
    pair_digest_op(clone, text, 50);
    pair_digest_op(other, text, 50);
    pair_final(digest, 64, false, NULL, NULL);
    pair_final(clone, 64, false, NULL, NULL);
    pair_final(other, 64, false, NULL, NULL);
    pair_destroy(clone);
    pair_destroy(other);
    pair_destroy(digest);
    pair_destroy(cipher);
}

/* 64 MiB in one part and in two, both ways, beside bare NSS. */
static void sixty_four_mebibytes(void **state) {
    (void)state;
    const int n = 64 << 20;
    unsigned char *data = malloc((size_t)n + 64), *a = malloc((size_t)n + 64), *b = malloc((size_t)n + 64);
    assert_true(data && a && b);
    memset(data, 0x3c, (size_t)n);
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        struct pair p = padded(decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
        int length[2];
        unsigned last[2];
        int first = decrypt ? 16 : 13;
        for (int side = 0; side < 2; side++) {
            const struct side *s = side ? &bare : &hooked;
            PK11Context *context = side ? p.bare : p.hooked;
            unsigned char *out = side ? b : a;
            int got = 0;
            assert_int_equal(s->PK11_CipherOp(context, out, &got, n + 64, data, first), SECSuccess);
            length[side] = got;
            assert_int_equal(
                s->PK11_CipherOp(context, out + got, &got, n + 64 - got, data + first, n - (decrypt ? 16 : 0)),
                SECSuccess);
            length[side] += got;
            s->PK11_DigestFinal(context, out + length[side], &last[side], 16);
        }
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(a, b, (size_t)length[0]);
        pair_destroy(p);
    }
    free(data);
    free(a);
    free(b);
}

static void second_destroy(void **state) {
    (void)state;
    struct pair p = padded(CKA_ENCRYPT);
    op(p, 29);
    end(p);
    pair_destroy(p);
    struct pair next = padded(CKA_ENCRYPT); /* the same engine */
    op(next, 10);
    hooked.PK11_DestroyContext(p.hooked, PR_TRUE);
    int length;
    unsigned char out[64];
    assert_int_equal(hooked.PK11_CipherOp(p.hooked, out, &length, 64, text, 16), SECFailure);
    op(next, 30);
    end(next);
    pair_destroy(next);
}

/* More keys than the cache has room for, but never many at a time: it must go on taking them in. */
static void many_keys(void **state) {
    (void)state;
    struct keys kept = key;
    struct counters before, after;
    counters_sum(&before);
    for (unsigned i = 0; i < 5000; i++) {
        unsigned char bytes[16] = {1, (unsigned char)i, (unsigned char)(i >> 8)};
        key = pair_import(CKM_AES_CBC_PAD, CKA_ENCRYPT, bytes, sizeof bytes);
        struct pair p = padded(CKA_ENCRYPT);
        op(p, 29);
        end(p);
        pair_destroy(p);
        pair_free_keys(key);
        if (i % 100 == 99)
            cache_flush();
    }
    key = kept;
    counters_sum(&after);
    assert_int_equal(after.bypass_max_keys - before.bypass_max_keys, 0);
    assert_true(after.keys_made - before.keys_made >= 5000);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, finish)
int main(void) {
    const struct CMUnitTest tests[] = {CASE(hammer),
                                       CASE(final_alone),
                                       CASE(bad_padding_then_begin),
                                       CASE(begin_in_the_middle),
                                       CASE(size_queries),
                                       CASE(python_nss),
                                       CASE(no_room),
                                       CASE(in_place),
                                       CASE(two_at_once),
                                       CASE(every_parameter_length),
                                       CASE(finalise_then),
                                       CASE(save_and_clone),
                                       CASE(sixty_four_mebibytes),
                                       CASE(second_destroy),
                                       CASE(many_keys)};
    if (NSS_NoDB_Init(NULL) != SECSuccess || !sides_init())
        return 3;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return NSS_Shutdown() == SECSuccess ? failed : 1;
}
