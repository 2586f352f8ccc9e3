/* The histogram of nanoseconds: its buckets, its quantiles against exact ones, and the comparison of two. */
#include "test/unit/near.h"
#include "tools/histogram.h"

#include <stdlib.h>
#include <string.h>

static void check_value(uint64_t value) {
    unsigned index = histogram_index(value);
    assert_true(index < HISTOGRAM_BUCKETS);
    assert_true(histogram_lower(index) <= value && value <= histogram_upper(index));
    assert_true(value < 16 ? histogram_lower(index) == histogram_upper(index)
                           : histogram_upper(index) - histogram_lower(index) <= histogram_lower(index) / 16);
}

static void buckets(void **state) {
    (void)state;
    for (uint64_t value = 0; value < 5000; value++)
        check_value(value);
    for (int bit = 4; bit < 64; bit++)
        for (int less = 0; less < 2; less++) {
            check_value(((uint64_t)1 << bit) - (uint64_t)less);
            check_value(((uint64_t)1 << bit) * 31 / 16);
        }
    check_value(UINT64_MAX);
    for (unsigned i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) { /* no gap, no overlap */
        assert_true(histogram_upper(i) + 1 == histogram_lower(i + 1));
        assert_int_equal(histogram_index(histogram_lower(i)), i);
        assert_int_equal(histogram_index(histogram_upper(i)), i);
    }
}

/* An operation's latency: log-normal around `middle` ns, one in a hundred ten times as long. */
static uint64_t latency(struct random_source *source, double middle) {
    double slow = random_below(source, 100) == 0 ? 10 : 1;
    return (uint64_t)(middle * slow * exp(0.3 * random_normal(source)));
}

static void quantiles(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    static const double shares[] = {0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
    struct histogram *h = calloc(1, sizeof *h);
    double *exact = malloc(COUNT * sizeof *exact), sum = 0;
    struct random_source source = {3};
    assert_true(isnan(histogram_quantile(h, 0.5)) && isnan(histogram_mean(h)));
    for (int i = 0; i < COUNT; i++) {
        uint64_t ns = latency(&source, 700);
        histogram_add(h, ns);
        exact[i] = (double)ns;
        sum += (double)ns;
    }
    statistics_sort(exact, COUNT);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double truth = statistics_quantile_sorted(exact, COUNT, shares[i]);
        assert_near(histogram_quantile(h, shares[i]), truth, 0.0626 * truth);
    }
    assert_near(histogram_quantile(h, 0.5), statistics_quantile_sorted(exact, COUNT, 0.5), 7);
    assert_near(histogram_mean(h), sum / COUNT, 1e-6);
    assert_true(h->max == (uint64_t)exact[COUNT - 1] && h->total == COUNT);
    free(exact);
    free(h);
}

static void merging(void **state) {
    (void)state;
    struct histogram *a = calloc(4, sizeof *a), *b = a + 1, *both = a + 2, *told = a + 3;
    struct random_source source = {4};
    for (int i = 0; i < 2000; i++) {
        uint64_t ns = latency(&source, 300);
        histogram_add(i % 3 ? a : b, ns);
        histogram_add(both, ns);
    }
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        histogram_add_bucket(told, i, both->counts[i]);
    histogram_merge(a, b);
    assert_memory_equal(a->counts, both->counts, sizeof a->counts);
    assert_true(a->total == both->total && a->max == both->max);
    assert_near(a->sum, both->sum, 1e-6);
    assert_memory_equal(told->counts, both->counts, sizeof told->counts);
    assert_near(histogram_mean(told), histogram_mean(both), 0.03 * histogram_mean(both));
    histogram_add_bucket(told, HISTOGRAM_BUCKETS, 1);
    assert_true(told->total == both->total);
    free(a);
}

enum { P50, P99, MEAN, KINDS };

/* How often each interval of the ratio held the truth. */
static void count_held(double effect, double truth, int experiments, int operations, int held[KINDS]) {
    struct random_source source = {11};
    struct histogram *arms = malloc(2 * sizeof *arms);
    memset(held, 0, KINDS * sizeof *held);
    for (int i = 0; i < experiments; i++) {
        struct histogram_comparison c[KINDS] = {{.share = 0.5, .confidence = 0.95},
                                                {.share = 0.99, .confidence = 0.95},
                                                {.share = HISTOGRAM_MEAN, .confidence = 0.95}};
        memset(arms, 0, 2 * sizeof *arms);
        for (int j = 0; j < operations; j++) {
            int with = random_bits(&source) & 1;
            histogram_add(&arms[with], latency(&source, with ? 700 * effect : 700));
        }
        assert_true(histogram_compare(&arms[0], &arms[1], c, KINDS, 400, &source));
        for (int kind = 0; kind < KINDS; kind++) {
            assert_true(c[kind].ratio.low <= c[kind].ratio.high);
            assert_true((c[kind].difference.estimate < 0) == (c[kind].ratio.estimate < 1));
            held[kind] += c[kind].ratio.low <= truth && truth <= c[kind].ratio.high;
        }
    }
    free(arms);
}

static void honesty(void **state) {
    (void)state;
    int held[KINDS];
    count_held(1, 1, 100, 20000, held);
    for (int kind = 0; kind < KINDS; kind++)
        assert_between(held[kind], 90, 100);
    count_held(0.9, 1, 100, 20000, held); /* a tenth less is found, always at the median */
    assert_between(held[P50], 0, 0);
    assert_between(held[MEAN], 0, 5);
}

/* Of a whole octave less, buckets fall on buckets, and the interval holds the right size. */
static void known_shift(void **state) {
    (void)state;
    int held[KINDS];
    count_held(0.5, 0.5, 100, 20000, held);
    for (int kind = 0; kind < KINDS; kind++)
        assert_between(held[kind], 85, 100);
}

/* Ten million operations cost as little as ten thousand; the interval is narrow, and the ratio is right. */
static void millions(void **state) {
    (void)state;
    struct histogram *arms = calloc(2, sizeof *arms), one = {0};
    struct random_source source = {12};
    struct histogram_comparison c = {.share = HISTOGRAM_MEAN, .confidence = 0.95};
    for (int i = 0; i < 200000; i++) {
        histogram_add(&arms[0], 1 + random_below(&source, 2000));
        histogram_add(&arms[1], 1 + random_below(&source, 1000));
    }
    for (int arm = 0; arm < 2; arm++)
        for (int i = 0; i < 6; i++) {
            one = arms[arm];
            histogram_merge(&arms[arm], &one);
        }
    assert_true(arms[0].total == 200000u * 64);
    assert_true(histogram_compare(&arms[0], &arms[1], &c, 1, 500, &source));
    assert_near(c.ratio.estimate, 0.5, 0.005);
    assert_near(c.difference.estimate, -500, 5);
    assert_true(c.ratio.high - c.ratio.low < 0.001 && c.ratio.low < c.ratio.estimate &&
                c.ratio.estimate < c.ratio.high);
    memset(&arms[1], 0, sizeof arms[1]);
    assert_false(histogram_compare(&arms[0], &arms[1], &c, 1, 500, &source));
    free(arms);
}

/* Values that all lie at the end of their bucket: the interval is around their mean, not around the bucket's middle. */
static void off_the_middle(void **state) {
    (void)state;
    struct histogram *arms = calloc(2, sizeof *arms);
    struct random_source source = {13};
    struct histogram_comparison c = {.share = HISTOGRAM_MEAN, .confidence = 0.95};
    for (int i = 0; i < 1000; i++) {
        histogram_add(&arms[0], 63);
        histogram_add(&arms[1], 16);
    }
    assert_true(histogram_compare(&arms[0], &arms[1], &c, 1, 100, &source));
    assert_near(c.ratio.estimate, 16 / 63.0, 1e-12);
    assert_near(c.ratio.low, 16 / 63.0, 1e-12);
    assert_near(c.ratio.high, 16 / 63.0, 1e-12);
    free(arms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets),        cmocka_unit_test(quantiles),   cmocka_unit_test(merging),
        cmocka_unit_test(honesty),        cmocka_unit_test(known_shift), cmocka_unit_test(millions),
        cmocka_unit_test(off_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
