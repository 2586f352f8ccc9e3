/* Figures from a program's output: regular expressions, and what fio and rados bench of several ages print. */
#include "test/unit/near.h"
#include "tools/ab_metric.h"

#include <string.h>

static const char *take(const char *expression, const char *output, double *value) {
    struct metrics metrics = {0};
    assert_null(metrics_add(&metrics, expression));
    const char *missing = metrics_take(&metrics, output, value);
    regfree(&metrics.list[0].regex);
    return missing ? "missing" : NULL;
}

static void expressions(void **state) {
    (void)state;
    double value;
    assert_null(take("x=speed ([0-9.e+]+) MB", "first speed 1.5e+2 MB\nspeed 7 MB\n", &value));
    assert_near(value, 150, 0);
    assert_null(take("x=^(-?[0-9]+)$", "1a\n-42\n3", &value)); /* lines have ends */
    assert_near(value, -42, 0);
    assert_null(take("x=v=(.*)", "v=none\nv=\nv=8\n", &value)); /* the first that is a number */
    assert_near(value, 8, 0);
    assert_null(take("x=a=b=([0-9]+)", "a=b=3", &value));
    assert_near(value, 3, 0);
    assert_non_null(take("x=v=(.*)", "v=inf v=nan", &value));
    assert_non_null(take("x=(z*)", "aaa", &value)); /* empty matches come to an end */
    assert_non_null(take("x=(5)", "", &value));
    assert_non_null(take("x=^(5)", "a5", &value));
}

static void bad_expressions(void **state) {
    (void)state;
    struct metrics metrics = {0};
    static const char *const bad[] = {"x", "=(y)", "x=y", "x=(", "a-name-that-is-much-too-long-for-this=(y)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(metrics_add(&metrics, bad[i]));
    assert_int_equal(metrics.count, 0);
    assert_null(metrics_add(&metrics, "iops=(y)"));
    assert_non_null(metrics_add(&metrics, "iops=(z)"));
    assert_non_null(metrics_add_ready_made(&metrics, METRIC_FIO));
    regfree(&metrics.list[0].regex);
}

static void senses(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum metric_sense sense;
    } names[] = {{"iops=(y)", MORE_IS_BETTER},
                 {"requests_per_s=(y)", MORE_IS_BETTER},
                 {"Latency_p99=(y)", LESS_IS_BETTER},
                 {"cpu_time=(y)", LESS_IS_BETTER},
                 {"colour=(y)", SENSE_UNKNOWN}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct metrics metrics = {0};
        assert_null(metrics_add(&metrics, names[i].text));
        assert_int_equal(metrics.list[0].sense, names[i].sense);
        regfree(&metrics.list[0].regex);
    }
}

/* fio 3.33, --rw=randrw. */
static const char fio_3[] = "a: (groupid=0, jobs=1): err= 0: pid=4920: Tue Dec  1 04:52:12 2026\n"
                            "  read: IOPS=16.7k, BW=65.1MiB/s (68.3MB/s)(65.2MiB/1001msec)\n"
                            "    clat (usec): min=31, max=999, avg=46.41, stdev=20.94\n"
                            "     lat (usec): min=31, max=999, avg=46.48, stdev=20.95\n"
                            "    clat percentiles (usec):\n"
                            "     |  1.00th=[   37],  5.00th=[   39], 10.00th=[   40], 20.00th=[   41],\n"
                            "   bw (  KiB/s): min=66008, max=66008, per=98.97%, avg=66008.00, stdev= 0.00, samples=1\n"
                            "   iops        : min=16502, max=16502, avg=16502.00, stdev= 0.00, samples=1\n"
                            "  write: IOPS=8350, BW=65.2MiB/s (68.4MB/s)(65.3MiB/1001msec); 0 zone resets\n"
                            "    clat (nsec): min=1539, max=52147, avg=3192.39, stdev=1759.97\n"
                            "     lat (nsec): min=1584, max=53433, avg=3279.50, stdev=1803.00\n"
                            "  lat (usec)   : 2=1.95%, 4=43.21%, 10=4.54%, 20=0.17%, 50=43.97%\n";

/* The form of fio 2.1. */
static const char fio_2[] = "  read : io=39064KB, bw=3905.7KB/s, iops=976, runt= 10002msec\n"
                            "    clat (msec): min=1, max=80, avg=16.35, stdev= 4.10\n"
                            "     lat (msec): min=1, max=81, avg=16.36, stdev= 4.10\n";

static const char fio_json[] =
    "fio: some notice\n{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [ { \"jobname\" : \"a\",\n"
    "  \"read\" : { \"iops\" : 300.5, \"lat_ns\" : { \"min\" : 763, \"max\" : 4000000, \"mean\" : 40000.0 } },\n"
    "  \"write\" : { \"iops\" : 100.5, \"lat_ns\" : { \"min\" : 763, \"max\" : 9000000, \"mean\" : 80000.0 } },\n"
    "  \"trim\" : { \"iops\" : 0.0, \"lat_ns\" : { \"min\" : 0, \"max\" : 0, \"mean\" : 0.0 } } } ]\n}\ntrailing {\n";

static void fio(void **state) {
    (void)state;
    struct metric_io io;
    assert_true(fio_output(fio_3, &io));
    assert_near(io.iops, 16700 + 8350, 1e-9);
    assert_near(io.latency_avg, (16700 * 0.04648 + 8350 * 0.0032795) / 25050, 1e-12);
    assert_near(io.latency_max, 0.999, 1e-12);
    assert_true(fio_output(fio_2, &io));
    assert_near(io.iops, 976, 0);
    assert_near(io.latency_avg, 16.36, 1e-12);
    assert_near(io.latency_max, 81, 1e-12);
    assert_true(fio_output(fio_json, &io));
    assert_near(io.iops, 401, 1e-9);
    assert_near(io.latency_avg, (300.5 * 0.04 + 100.5 * 0.08) / 401, 1e-12);
    assert_near(io.latency_max, 9, 1e-12);
    assert_false(fio_output("", &io) || fio_output("{ \"fio version\" : broken", &io));
    assert_false(fio_output("  read: IOPS=16.7k, BW=65.1MiB/s\n", &io));
}

static void rados(void **state) {
    (void)state;
    struct metric_io io;
    assert_true(rados_output("Total time run:         10.5\nTotal writes made:      2100\nWrite size: 4096\n"
                             "Average Latency:        0.081\nStddev Latency: 0.01\nMax latency:            0.31\n",
                             &io)); /* hammer */
    assert_near(io.iops, 200, 1e-9);
    assert_near(io.latency_avg, 81, 1e-9);
    assert_near(io.latency_max, 310, 1e-9);
    assert_true(rados_output("Total time run:       2.0\nTotal reads made:     500\nAverage IOPS:         249\n"
                             "Average Latency(s):   0.0036\nMax latency(s):       0.02\nMin latency(s): 0.001\n",
                             &io)); /* today */
    assert_near(io.iops, 250, 1e-9);
    assert_near(io.latency_avg, 3.6, 1e-9);
    assert_near(io.latency_max, 20, 1e-9);
    assert_false(rados_output("Total time run: 0\nTotal reads made: 5\nAverage Latency: 1\nMax latency: 1\n", &io));
    assert_false(rados_output("error during benchmark: (2) No such file or directory\n", &io));
}

static void ready_made(void **state) {
    (void)state;
    struct metrics metrics = {0};
    double values[METRICS_MAX];
    assert_null(metrics_add_ready_made(&metrics, METRIC_FIO));
    assert_int_equal(metrics.count, 3);
    assert_null(metrics_take(&metrics, fio_2, values));
    assert_near(values[0], 976, 0);
    assert_near(values[1], 16.36, 1e-12);
    assert_near(values[2], 81, 1e-12);
    assert_string_equal(metrics_take(&metrics, "nothing", values), "iops");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions), cmocka_unit_test(bad_expressions), cmocka_unit_test(senses),
        cmocka_unit_test(fio),         cmocka_unit_test(rados),           cmocka_unit_test(ready_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
