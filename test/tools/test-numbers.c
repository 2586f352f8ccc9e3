/* The numbers that stat, top and metrics show: what happened between two looks, their text, and several processes'
 * metrics as one. */
#include "tools/exposition.h"
#include "tools/format.h"
#include "tools/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct view view_of(double uptime, double since_reset, int calls, int hits, const char *buckets) {
    char json[1024], problem[128] = "";
    struct view view;
    snprintf(json, sizeof json,
             "{\"schema\":1,\"library_version\":\"1\",\"program\":\"a\\u001bb\",\"uptime\":%f,\"since_reset\":%f,"
             "\"counters\":{\"calls\":%d,\"hits\":%d},\"gauges\":{\"keys_now\":7},"
             "\"latency\":{\"operations\":{\"create\":{\"max\":5000,\"buckets\":[%s]}}}}",
             uptime, since_reset, calls, hits, buckets);
    if (!view_parse(json, &view, problem, sizeof problem))
        fail_msg("%s", problem);
    return view;
}

static void same(double a, double b) {
    if (fabs(a - b) > 1e-6)
        fail_msg("%f is not %f", a, b);
}

/* What was before must not count: neither in the rates nor in the quantiles, which it would dominate. */
static void interval(void **state) {
    (void)state;
    struct view before = view_of(10, 0, 1000, 900, "[100,110,5000],[200,220,3]");
    struct view now = view_of(12, 0, 1400, 1290, "[100,110,5000],[200,220,100],[4000,4400,2],[4800,5600,1]");
    struct view_rates r = view_between(&before, &now);
    assert_int_equal(r.calls, 400);
    same(r.seconds, 2);
    same(r.calls_a_second, 200);
    same(r.hit_percent, 97.5);
    same(r.p50[VIEW_CREATE], 210);
    same(r.p99[VIEW_CREATE], 4200);
    assert_true(isnan(r.p99[VIEW_CIPHER_OP]));
    r = view_between(NULL, &now);
    same(r.calls_a_second, 1400.0 / 12);
    same(r.p50[VIEW_CREATE], 105);
    assert_string_equal(now.program, "a?b");
    assert_int_equal(now.keys, 7);
    view_free(&before);
    view_free(&now);
}

static void nothing_happened(void **state) {
    (void)state;
    struct view one = view_of(10, 0, 1000, 900, "[100,110,5000]"), two = view_of(11, 0, 1000, 900, "[100,110,5000]");
    struct view_rates r = view_between(&one, &two);
    same(r.calls_a_second, 0);
    assert_true(isnan(r.hit_percent) && isnan(r.p50[VIEW_CREATE]));
    view_free(&one);
    view_free(&two);
}

/* Also a reset after which there were more calls than before it. */
static void reset(void **state) {
    (void)state;
    struct view before = view_of(10, 0, 1000, 900, "[100,110,50]"), again = view_of(30, 15, 10, 10, "");
    struct view now = view_of(12, 0.5, 3000, 3000, "[200,220,9]"), later = view_of(31, 0.25, 20, 20, "");
    struct view_rates r = view_between(&before, &now);
    assert_int_equal(r.calls, 3000);
    same(r.calls_a_second, 6000);
    same(r.hit_percent, 100);
    same(r.p50[VIEW_CREATE], 210);
    same(view_between(&again, &later).calls_a_second, 80);
    view_free(&before);
    view_free(&now);
    view_free(&again);
    view_free(&later);
}

static void no_stat(void **state) {
    static const char *const wrong[] = {"", "[]", "{\"schema\":1}", "{\"schema\":2,\"counters\":{}}", "{\"schema\":1"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct view view;
        char problem[128] = "";
        assert_false(view_parse(wrong[i], &view, problem, sizeof problem));
        assert_true(*problem);
    }
}

static void texts(void **state) {
    (void)state;
    char t[FORMATTED];
    assert_string_equal(format_count(t, 0), "0");
    assert_string_equal(format_count(t, 0.25), "0.2");
    assert_string_equal(format_count(t, 999), "999");
    assert_string_equal(format_count(t, 999.6), "1.00k");
    assert_string_equal(format_count(t, 12345), "12.3k");
    assert_string_equal(format_count(t, 999600), "1.00M");
    assert_string_equal(format_count(t, NAN), "-");
    assert_string_equal(format_ns(t, 999), "999 ns");
    assert_string_equal(format_ns(t, 1500), "1.50 us");
    assert_string_equal(format_ns(t, 999.7e3), "1.00 ms");
    assert_string_equal(format_ns(t, 3e9), "3.00 s");
    assert_string_equal(format_percent(t, 100), "100.00");
    assert_string_equal(format_percent(t, 100 * (1 - 1e-9)), "99.99");
    assert_string_equal(format_percent(t, 57.29), "57.29");
    assert_string_equal(format_uptime(t, 59.9), "59s");
    assert_string_equal(format_uptime(t, 3599), "59m59");
    assert_string_equal(format_uptime(t, 7500), "2h05");
    assert_string_equal(format_uptime(t, 86400 * 12 + 3600 * 4), "12d04");
}

static char *written(const struct exposition *e) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_true(exposition_write(e, to));
    fclose(to);
    return text;
}

/* The second has a family more in the middle, other words, a family without a HEAD, and lines that are no samples. */
static void merged(void **state) {
    (void)state;
    char one[] = "# HELP a_total first\n# TYPE a_total counter\na_total{pid=\"7\",program=\"x\"} 1\n"
                 "# HELP h s\n# TYPE h histogram\nh_bucket{pid=\"7\",le=\"+Inf\"} 1\nh_sum{pid=\"7\"} 2\n";
    char two[] = "# HELP a_total second\n# TYPE a_total counter\na_total{pid=\"7\",program=\"y\"} 3\n"
                 "# HELP b between\n# TYPE b gauge\nb{pid=\"7\"} 4\n"
                 "# HELP h s\n# TYPE h histogram\nh_sum{pid=\"7\"} 5\nhs{pid=\"7\"} 6\n\nno sample\n-\n";
    struct exposition e = {0};
    exposition_add(&e, one, 11);
    exposition_add(&e, two, 22);
    exposition_add_gauge(&e, "g", "help", 2);
    char *text = written(&e);
    assert_string_equal(text,
                        "# HELP a_total first\n# TYPE a_total counter\n"
                        "a_total{pid=\"11\",program=\"x\"} 1\na_total{pid=\"22\",program=\"y\"} 3\n"
                        "# HELP h s\n# TYPE h histogram\nh_bucket{pid=\"11\",le=\"+Inf\"} 1\nh_sum{pid=\"11\"} 2\n"
                        "h_sum{pid=\"22\"} 5\n# HELP b between\n# TYPE b gauge\nb{pid=\"22\"} 4\nhs{pid=\"22\"} 6\n"
                        "# HELP g help\n# TYPE g gauge\ng 2\n");
    free(text);
    exposition_free(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interval), cmocka_unit_test(nothing_happened),
        cmocka_unit_test(reset),    cmocka_unit_test(no_stat),
        cmocka_unit_test(texts),    cmocka_unit_test(merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
