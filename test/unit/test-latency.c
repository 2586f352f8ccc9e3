/* The histogram's buckets against exact arithmetic, its quantiles against sorted values. */
#include "stats/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t seed = 88172645463325252u;
static uint64_t draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void every_value_is_in_its_bucket(void **state) {
    (void)state;
    for (unsigned i = 0; i < 1000000; i++) {
        uint64_t value = i < 100000 ? i : draw() >> (28 + draw() % 36);
        unsigned index = histogram_index(value);
        assert_true(index < HISTOGRAM_BUCKETS);
        assert_true(histogram_lower(index) <= value && value < histogram_lower(index + 1));
    }
}

static void buckets_are_narrow(void **state) {
    (void)state;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        uint64_t lower = histogram_lower(i), width = histogram_lower(i + 1) - lower;
        assert_int_equal(histogram_index(lower), i);
        assert_true(width >= 1 && (width == 1 || width * 16 <= lower)); /* 6.25 % */
    }
    assert_int_equal(histogram_lower(HISTOGRAM_BUCKETS), UINT64_C(1) << HISTOGRAM_OCTAVES);
    assert_int_equal(histogram_index(UINT64_C(1) << HISTOGRAM_OCTAVES), HISTOGRAM_BUCKETS - 1);
    assert_int_equal(histogram_index(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void quantiles(void **state) {
    (void)state;
    enum { VALUES = 20000 };
    static uint64_t values[VALUES];
    static struct histogram h;
    static const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0};
    uint64_t sum = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        values[i] = 40 + draw() % 100 + (i % 10 == 0 ? draw() % 100000 : 0);
        histogram_add(&h, values[i]);
        sum += values[i];
    }
    qsort(values, VALUES, sizeof *values, by_value);
    assert_int_equal(h.count, VALUES);
    assert_int_equal(h.sum, sum);
    assert_int_equal(h.max, values[VALUES - 1]);
    for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++) {
        double exact = (double)values[(size_t)(shares[i] * VALUES + 0.5) - 1];
        double got = (double)histogram_quantile(&h, shares[i]);
        assert_true(got >= exact * (1 - 0.0625) && got <= exact * (1 + 0.0625));
    }
}

static void differences(void **state) {
    (void)state;
    static struct histogram h, before, now;
    assert_int_equal(histogram_quantile(&h, 0.5), 0);
    histogram_add(&h, 10);
    histogram_copy(&before, &h, NULL);
    histogram_add(&h, 20);
    histogram_add(&h, 30);
    histogram_copy(&now, &h, &before);
    assert_int_equal(now.count, 2);
    assert_int_equal(now.sum, 50);
    assert_int_equal(histogram_quantile(&now, 0.5), 20);
    assert_int_equal(histogram_quantile(&now, 1), 30);
    histogram_copy(&now, &h, &h);
    assert_int_equal(now.count, 0);
    assert_int_equal(now.max, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_value_is_in_its_bucket),
                                       cmocka_unit_test(buckets_are_narrow), cmocka_unit_test(quantiles),
                                       cmocka_unit_test(differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
