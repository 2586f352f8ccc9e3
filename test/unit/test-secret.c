/* The keyed hash and the comparison. */
#include "test/unit/mock_nss.h"
#include "preload/secret.h"

static void equal_looks_at_every_byte(void **state) {
    (void)state;
    unsigned char a[64], b[64];
    for (size_t n = 0; n <= sizeof a; n++) {
        memset(a, 0x5a, sizeof a);
        memcpy(b, a, sizeof b);
        assert_true(secret_equal(a, b, n));
        for (size_t i = 0; i < n; i++) {
            b[i] ^= 0x80;
            assert_false(secret_equal(a, b, n));
            b[i] ^= 0x80;
        }
        if (n < sizeof a) {
            b[n] ^= 1; /* beyond the end: no matter */
            assert_true(secret_equal(a, b, n));
        }
    }
}

static void hash_depends_on_all(void **state) {
    (void)state;
    secret_init();
    unsigned char a[64] = {0};
    for (size_t n = 1; n <= sizeof a; n++) {
        uint64_t h = secret_hash(0, a, n);
        assert_int_not_equal(h, secret_hash(1, a, n));
        assert_int_not_equal(h, secret_hash(0, a, n - 1));
        for (size_t i = 0; i < n; i++) {
            a[i] ^= 1;
            assert_int_not_equal(h, secret_hash(0, a, n));
            a[i] ^= 1;
        }
    }
}

static void hash_is_seeded(void **state) {
    (void)state;
    secret_init();
    uint64_t h = secret_hash(0, (const unsigned char *)"0123456789abcdef", 16);
    for (int i = 0; i < 4; i++) {
        secret_seed[i] ^= 0x100;
        assert_int_not_equal(h, secret_hash(0, (const unsigned char *)"0123456789abcdef", 16));
        secret_seed[i] ^= 0x100;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_looks_at_every_byte),
                                       cmocka_unit_test(hash_depends_on_all), cmocka_unit_test(hash_is_seeded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
