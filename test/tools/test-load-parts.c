/* The load's histogram against exact quantiles, its content and the checksum against known values. */
#include "content.h"
#include "crc.h"
#include "latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 20001 };

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void quantiles_are_near_the_exact_ones(void **state) {
    (void)state;
    static const double shares[] = {0, 0.001, 0.5, 0.9, 0.99, 0.999, 1};
    static uint64_t values[VALUES];
    struct latency *whole = calloc(1, sizeof *whole), *half = calloc(1, sizeof *half);
    uint64_t seed = 1, sum = 0;
    for (int i = 0; i < VALUES; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values[i] = seed >> 24 >> (seed >> 8 & 31); /* over all magnitudes, down to 256 and below */
        sum += values[i];
        latency_add(i % 2 ? whole : half, values[i]);
    }
    latency_merge(whole, half);
    qsort(values, VALUES, sizeof values[0], by_value);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        int rank = (int)(shares[i] * VALUES);
        rank += rank < shares[i] * VALUES;
        double exact = (double)values[rank ? rank - 1 : 0], found = latency_quantile(whole, shares[i]);
        assert_true(found >= exact * 0.992 && found <= exact * 1.008);
    }
    assert_int_equal(whole->max_ns, values[VALUES - 1]);
    assert_true(latency_mean(whole) == (double)sum / VALUES);
    free(whole);
    free(half);
}

static void small_and_extreme_latencies(void **state) {
    (void)state;
    struct latency *l = calloc(1, sizeof *l);
    assert_true(latency_quantile(l, 0.5) == 0 && latency_mean(l) == 0);
    latency_add(l, 0);
    latency_add(l, 255);
    assert_true(latency_quantile(l, 0.5) == 0 && latency_quantile(l, 1) == 255);
    latency_add(l, UINT64_MAX);
    assert_true(latency_quantile(l, 1) > 1.8e19);
    free(l);
}

static void the_checksum_is_crc32c(void **state) {
    (void)state;
    unsigned char zeros[32] = {0};
    assert_int_equal(crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(zeros, 32), 0x8a9136aa); /* RFC 3720, B.4 */
    assert_int_equal(crc32c("", 0), 0);
}

static void content_tells_object_version_and_damage(void **state) {
    (void)state;
    static unsigned char data[4099];
    for (uint32_t length = CONTENT_MIN; length <= sizeof data; length += length < 40 ? 1 : 4059) {
        content_make(data, length, 7, 3);
        assert_true(content_check(data, length, 7, 3, 3) && content_check(data, length, 7, 0, 9));
        assert_false(content_check(data, length, 8, 0, 9));
        assert_false(content_check(data, length, 7, 4, 9));
        assert_false(content_check(data, length, 7, 0, 2));
        for (uint32_t i = 0; i < length; i++) {
            data[i] ^= 0x10;
            assert_true(!content_check(data, length, 7, 3, 3));
            data[i] ^= 0x10;
        }
    }
    content_make(data, 64, 7, 3);
    content_make(data + 32, 32, 7, 4); /* two versions, mixed */
    assert_false(content_check(data, 64, 7, 0, 9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_near_the_exact_ones), cmocka_unit_test(small_and_extreme_latencies),
        cmocka_unit_test(the_checksum_is_crc32c), cmocka_unit_test(content_tells_object_version_and_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
