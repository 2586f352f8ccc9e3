/* What `pk11cache ab` makes of its runs, on experiments that were made up: order, pairs, verdict, and each warning of
 * the closed list, present and absent. */
#include "test/unit/near.h"
#include "tools/ab.h"
#include "tools/command.h"

#include <stdlib.h>
#include <string.h>

void complain(const char *format, ...) {
    (void)format;
}

/* Pairs of `wall` around one second, a hundredth of noise; with the preload times `effect`. */
static struct ab_experiment made_up(uint64_t seed, int pairs, double effect) {
    struct ab_experiment e = {.kind = "run", .pairs_wanted = pairs, .depths_count = 1, .seed = seed, .busy = NAN};
    e.random.state = seed;
    ab_add_figure(&e, "wall", "s", LESS_IS_BETTER);
    for (int pair = 0; pair < pairs; pair++)
        for (int arm = 0; arm < AB_ARMS; arm++) {
            struct ab_run run = {.pair = pair, .arm = (enum ab_arm)arm};
            run.values[0] = (arm == WITH ? effect : 1) * exp(0.01 * random_normal(&e.random));
            assert_true(ab_add_run(&e, &run));
        }
    return e;
}

static const char *warning(const struct ab_experiment *e, const char *name) {
    static struct ab_warning warnings[WARNINGS_MAX];
    int count = ab_warnings(e, warnings);
    for (int i = 0; i < count; i++)
        if (!strcmp(warnings[i].name, name))
            return warnings[i].text;
    return NULL;
}

static void order(void **state) {
    (void)state;
    struct ab_experiment e = {0};
    int begun_with = 0;
    for (int pair = 0; pair < 400; pair += 2) {
        enum ab_arm first = ab_first_arm(&e, pair), second = ab_first_arm(&e, pair + 1);
        assert_int_not_equal(first, second); /* AB BA, or BA AB */
        begun_with += first == WITH;
    }
    assert_between(begun_with, 70, 130);
}

static void pairing(void **state) {
    (void)state;
    struct ab_experiment e = made_up(1, 4, 0.5);
    double without[PAIRS_MAX], with[PAIRS_MAX];
    struct ab_run warm_up = {.pair = WARM_UP, .values = {9}};
    assert_true(ab_add_run(&e, &warm_up));
    assert_int_equal(ab_pairs(&e, 0, 0, without, with), 4);
    e.runs[3].failed = strdup("why"); /* of pair 1 */
    assert_int_equal(ab_pairs(&e, 0, 0, without, with), 3);
    assert_near(without[1], e.runs[4].values[0], 0);
    assert_near(with[1], e.runs[5].values[0], 0);
    e.runs[6].values[0] = NAN;
    assert_int_equal(ab_pairs(&e, 0, 0, without, with), 2);
    ab_free(&e);
}

static bool verdict_says(const struct ab_experiment *e, const char *part) {
    char text[512];
    ab_verdict(e, text, sizeof text);
    return strstr(text, part) != NULL;
}

static void verdicts(void **state) {
    (void)state;
    char text[512];
    struct ab_experiment e = made_up(2, 10, 0.8);
    assert_true(ab_verdict(&e, text, sizeof text));
    assert_non_null(strstr(text, "% less"));
    assert_non_null(strstr(text, "better"));
    e.figures[0].sense = MORE_IS_BETTER;
    assert_true(verdict_says(&e, "worse"));
    e.figures[0].sense = SENSE_UNKNOWN;
    assert_false(verdict_says(&e, "better") || verdict_says(&e, "worse"));
    for (int i = 0; i < e.runs_count; i++)
        e.runs[i].values[0] = 0;
    assert_false(ab_verdict(&e, text, sizeof text));
    ab_free(&e);
    e = made_up(3, 1, 0.8);
    assert_false(ab_verdict(&e, text, sizeof text));
    assert_non_null(strstr(text, "No verdict"));
    ab_free(&e);
}

/* The whole path, not the formula alone: an A/A experiment shows no difference. */
static void honest_verdicts(void **state) {
    (void)state;
    int shown = 0, found = 0;
    for (uint64_t seed = 100; seed < 200; seed++) {
        struct ab_experiment same = made_up(seed, 10, 1), less = made_up(seed, 10, 0.97);
        shown += !verdict_says(&same, "No difference shown");
        found += verdict_says(&less, "% less");
        ab_free(&same);
        ab_free(&less);
    }
    assert_between(shown, 0, 10);
    assert_between(found, 95, 100);
}

/* Over depths: one ratio a pair. The others' intervals are wider than 95 %. */
static void depths(void **state) {
    (void)state;
    struct ab_experiment e = made_up(4, 0, 1);
    int pairs;
    e.depths_count = 2;
    e.pairs_wanted = 3;
    ab_add_figure(&e, "latency", "ms", LESS_IS_BETTER);
    for (int i = 0; i < 12; i++) {
        struct ab_run run = {.pair = i / 4, .arm = (enum ab_arm)(i % 2), .depth = i / 2 % 2};
        run.values[0] = (run.depth ? 9 : 1) * (run.arm == WITH ? run.depth ? 4 : 1 : 1);
        run.values[1] = 1 + i;
        assert_true(ab_add_run(&e, &run));
    }
    assert_near(ab_verdict_ratio(&e, &pairs).estimate, 2, 1e-9); /* of 1 and 4 */
    assert_int_equal(pairs, 3);
    assert_near(ab_compare(&e, 1, 0).ratio.estimate, 4, 1e-9);
    assert_near(ab_compare(&e, 1, 0).confidence, 1 - 0.05 / 4, 1e-9);
    e.runs[0].failed = strdup("why");
    assert_near(ab_verdict_ratio(&e, &pairs).estimate, 2, 1e-9);
    assert_int_equal(pairs, 2);
    ab_free(&e);
}

static void quiet(void **state) {
    (void)state;
    struct ab_experiment e = made_up(5, 10, 0.9);
    struct ab_warning warnings[WARNINGS_MAX];
    e.preloaded = e.acted = 11;
    e.busy = 0.05;
    assert_int_equal(ab_warnings(&e, warnings), 0);
    ab_free(&e);
}

static void warnings_of_each_kind(void **state) {
    (void)state;
    struct ab_experiment e = made_up(6, 10, 0.9);
    e.preloaded = 11, e.acted = 10, e.busy = 0.34;
    assert_string_equal(warning(&e, "cache not seen to act") ? "" : "none", "");
    assert_non_null(strstr(warning(&e, "busy machine"), "34 %"));
    e.runs[13].failed = strdup("exit status 3; its last lines:\nboo");
    assert_non_null(strstr(warning(&e, "command failed"), "exit status 3; its last lines:\nboo"));
    assert_null(warning(&e, "outliers"));
    assert_null(warning(&e, "too few pairs"));
    e.runs[9].values[0] *= 1.3;
    assert_non_null(strstr(warning(&e, "outliers"), "1 of 18 values of wall"));
    assert_null(warning(&e, "slow first run"));
    e.runs[1].values[0] *= 1.3;
    assert_non_null(warning(&e, "slow first run"));
    struct ab_life life = {.killed = true};
    assert_true(ab_add_life(&e, &life));
    assert_non_null(strstr(warning(&e, "daemon killed"), "1 of 1 times"));
    for (int i = 0; i < e.runs_count; i++)
        e.runs[i].values[0] *= 0.05;
    assert_non_null(warning(&e, "too short"));
    ab_free(&e);
}

static void too_few(void **state) {
    (void)state;
    struct ab_experiment e = made_up(7, 5, 0.9);
    assert_non_null(strstr(warning(&e, "too few pairs"), "only 5 pairs"));
    ab_free(&e);
    e = made_up(8, 10, 1);
    assert_null(warning(&e, "too few pairs")); /* no difference, but one of a twentieth would have been seen */
    for (int i = 0; i < e.runs_count; i++)
        e.runs[i].values[0] *= i % 4 == 1 || i % 4 == 2 ? 1.4 : 1;
    assert_non_null(strstr(warning(&e, "too few pairs"), "to each side"));
    ab_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),
        cmocka_unit_test(pairing),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(honest_verdicts),
        cmocka_unit_test(depths),
        cmocka_unit_test(quiet),
        cmocka_unit_test(warnings_of_each_kind),
        cmocka_unit_test(too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
