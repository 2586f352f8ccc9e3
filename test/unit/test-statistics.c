/* The statistics of `pk11cache ab`, against scipy's figures (statistics-figures.py), and their honesty: an experiment
 * in which nothing differs shows no difference as often as it says. No clock is read. */
#include "test/unit/near.h"
#include "test/unit/statistics_figures.h"
#include "tools/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NEAR(got, expected) assert_near(got, expected, 1e-9 * (1 + fabs((double)(expected))))

static void quantiles(void **state) {
    (void)state;
    size_t n = COUNT(samples);
    NEAR(statistics_quantile(samples, n, 0), QUANTILE_0);
    NEAR(statistics_quantile(samples, n, 0.1), QUANTILE_10);
    NEAR(statistics_quantile(samples, n, 0.25), QUANTILE_25);
    NEAR(statistics_median(samples, n), QUANTILE_50);
    NEAR(statistics_quantile(samples, n, 0.9), QUANTILE_90);
    NEAR(statistics_quantile(samples, n, 0.99), QUANTILE_99);
    NEAR(statistics_quantile(samples, n, 1), QUANTILE_100);
    NEAR(statistics_mean(samples, n), MEAN);
    NEAR(statistics_deviation(samples, n), DEVIATION);
    NEAR(statistics_mad(samples, n), MAD);
    assert_true(isnan(statistics_median(samples, 0)) && isnan(statistics_mean(samples, 0)));
    assert_true(isnan(statistics_deviation(samples, 1)));
    NEAR(statistics_median(samples, 1), samples[0]);
}

static void distributions(void **state) {
    (void)state;
    NEAR(normal_below(1.3), NORMAL_BELOW_1_3);
    NEAR(normal_quantile(0.001), NORMAL_QUANTILE_001);
    assert_true(isinf(normal_quantile(0)) && isinf(normal_quantile(1)) && isnan(normal_quantile(2)));
#define STUDENT(degrees)                                                                                               \
    NEAR(student_below(1.7, degrees), STUDENT_BELOW_1_7_##degrees);                                                    \
    NEAR(student_quantile(0.975, degrees), STUDENT_QUANTILE_975_##degrees);                                            \
    NEAR(student_quantile(0.025, degrees), -STUDENT_QUANTILE_975_##degrees)
    STUDENT(1);
    STUDENT(2);
    STUDENT(3);
    STUDENT(9);
    STUDENT(30);
    NEAR(bonferroni_confidence(0.95, 5), 0.99);
    NEAR(bonferroni_confidence(0.95, 1), 0.95);
    NEAR(bonferroni_confidence(0.95, 0), 0.95);
}

static void ranks(void **state) {
    (void)state;
    size_t a = COUNT(rank_a), b = COUNT(rank_b), ta = COUNT(tied_a), tb = COUNT(tied_b);
    NEAR(mann_whitney_u(rank_a, a, rank_b, b), U);
    NEAR(mann_whitney_exact(rank_a, a, rank_b, b), U_EXACT_P);
    NEAR(mann_whitney_exact(rank_b, b, rank_a, a), U_EXACT_P);
    NEAR(mann_whitney_normal(rank_a, a, rank_b, b), U_NORMAL_P);
    NEAR(mann_whitney_u(tied_a, ta, tied_b, tb), TIED_U);
    NEAR(mann_whitney_exact(tied_a, ta, tied_b, tb), TIED_EXACT_P);
    NEAR(mann_whitney_normal(tied_a, ta, tied_b, tb), TIED_NORMAL_P);
    NEAR(mann_whitney(rank_a, a, rank_b, b), U_EXACT_P);
    NEAR(mann_whitney(many_a, COUNT(many_a), many_b, COUNT(many_b)), MANY_NORMAL_P);
    NEAR(hodges_lehmann(rank_a, a, rank_b, b), SHIFT);
    NEAR(hodges_lehmann(rank_b, b, rank_a, a), -SHIFT);
    static const double same[] = {3, 3, 3};
    NEAR(mann_whitney_normal(same, 3, same, 3), 1);
    NEAR(mann_whitney_exact(same, 3, same, 3), 1);
    assert_true(isnan(mann_whitney(same, 0, same, 3)) && isnan(hodges_lehmann(same, 3, same, 0)));
}

static void ratios(void **state) {
    (void)state;
    struct interval got = paired_ratio(pairs_without, pairs_with, COUNT(pairs_with), 0.95);
    NEAR(got.estimate, RATIO);
    NEAR(got.low, RATIO_LOW_95);
    NEAR(got.high, RATIO_HIGH_95);
    got = paired_ratio(pairs_without, pairs_with, COUNT(pairs_with), 0.99);
    NEAR(got.low, RATIO_LOW_99);
    NEAR(got.high, RATIO_HIGH_99);
    got = paired_ratio(pairs_without, pairs_with, 1, 0.95);
    NEAR(got.estimate, pairs_with[0] / pairs_without[0]);
    assert_true(got.low == 0 && isinf(got.high));
    static const double zero[] = {1, 0};
    assert_true(isnan(paired_ratio(zero, pairs_with, 2, 0.95).estimate));
}

/* Both are of 400,000 resamples; the far tail of a BCa end moves by a hundredth of the width from seed to seed. */
static void bootstraps(void **state) {
    (void)state;
    struct random_source source = {7};
    size_t n = COUNT(samples), draws = 400000;
#define ENDS(call, name)                                                                                               \
    do {                                                                                                               \
        struct interval ends = call;                                                                                   \
        double width = name##_HIGH - name##_LOW;                                                                       \
        assert_near(ends.low, name##_LOW, width / 100);                                                                \
        assert_near(ends.high, name##_HIGH, width / 50);                                                               \
    } while (0)
    ENDS(bootstrap_percentile(samples, n, statistics_mean, 0.95, draws, &source), PERCENTILE_MEAN);
    ENDS(bootstrap_percentile(samples, n, statistics_median, 0.95, draws, &source), PERCENTILE_MEDIAN);
    ENDS(bootstrap_bca(samples, n, statistics_mean, 0.95, draws, &source), BCA_MEAN);
    struct interval ratio = paired_ratio_bootstrap(pairs_without, pairs_with, COUNT(pairs_with), 0.95, &source);
    NEAR(ratio.estimate, RATIO);
    assert_near(ratio.low, RATIO_BCA_LOW, 0.002);
    assert_near(ratio.high, RATIO_BCA_HIGH, 0.002);
    static const double same[] = {2, 2, 2};
    struct interval flat = bootstrap_bca(same, 3, statistics_mean, 0.95, 100, &source);
    assert_true(flat.low == 2 && flat.high == 2);
    struct interval one = bootstrap_percentile(same, 1, statistics_mean, 0.95, 100, &source);
    assert_true(one.estimate == 2 && isinf(one.low) && isinf(one.high));
}

static void random_numbers(void **state) {
    (void)state;
    struct random_source source = {1}, again = {1};
    double bins[10] = {0}, normal = 0, squares = 0;
    for (int i = 0; i < 100000; i++) {
        bins[random_below(&source, 10)]++;
        double z = random_normal(&source);
        normal += z;
        squares += z * z;
    }
    for (int i = 0; i < 10; i++)
        assert_between(bins[i], 9600, 10400);
    assert_near(normal / 100000, 0, 0.015);
    assert_near(squares / 100000, 1, 0.02);
    assert_true(random_below(&again, 10) == random_below(&(struct random_source){1}, 10));
    static const double means[] = {0, 0.5, 3, 29, 31, 400};
    for (size_t i = 0; i < COUNT(means); i++) {
        double sum = 0, spread = 0;
        for (int j = 0; j < 20000; j++) {
            double drawn = random_poisson(&source, means[i]);
            sum += drawn;
            spread += (drawn - means[i]) * (drawn - means[i]);
        }
        assert_near(sum / 20000, means[i], 5 * sqrt(means[i] / 20000));
        assert_near(spread / 20000, means[i], 0.06 * means[i]);
    }
}

/* A machine's noise: slow minutes that both runs of a pair share, log-normal scatter, and a hiccup in 30 runs. */
static double noisy(struct random_source *source, double minute) {
    double hiccup = random_below(source, 30) == 0 ? 0.3 * random_unit(source) : 0;
    return exp(minute + 0.03 * random_normal(source) + hiccup);
}

static int times_held(double truth, double effect, int experiments, int pairs, double confidence) {
    struct random_source source = {42};
    double without[32], with[32];
    int held = 0;
    for (int i = 0; i < experiments; i++) {
        for (int j = 0; j < pairs; j++) {
            double minute = 0.2 * random_normal(&source);
            without[j] = noisy(&source, minute);
            with[j] = effect * noisy(&source, minute);
        }
        struct interval got = paired_ratio(without, with, (size_t)pairs, confidence);
        held += got.low <= truth && truth <= got.high;
    }
    return held;
}

static void honesty(void **state) {
    (void)state;
    assert_between(times_held(1, 1, 100, 10, 0.95), 90, 100);
    assert_between(times_held(1, 1, 100, 3, 0.95), 90, 100);
    assert_between(times_held(1, 1, 2000, 10, 0.95), 1870, 1960); /* nor wider than it says */
    assert_between(times_held(1, 1, 2000, 10, 0.5), 880, 1120);
    assert_between(times_held(0.9, 0.9, 2000, 10, 0.95), 1870, 1960);
    assert_between(times_held(1, 0.9, 100, 10, 0.95), 0, 20); /* a tenth is found */
}

/* The rank test says p < 0.05 in one A/A experiment of twenty, and less, since p has steps. */
static void honest_ranks(void **state) {
    (void)state;
    struct random_source source = {5};
    int cried = 0;
    for (int i = 0; i < 1000; i++) {
        double a[8], b[8];
        for (int j = 0; j < 8; j++) {
            a[j] = noisy(&source, 0);
            b[j] = noisy(&source, 0);
        }
        cried += mann_whitney(a, 8, b, 8) < 0.05;
    }
    assert_between(cried, 25, 65);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles), cmocka_unit_test(distributions), cmocka_unit_test(ranks),
        cmocka_unit_test(ratios),    cmocka_unit_test(bootstraps),    cmocka_unit_test(random_numbers),
        cmocka_unit_test(honesty),   cmocka_unit_test(honest_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
