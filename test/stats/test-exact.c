/* What the socket says equals what the program did: exactly, from 8 threads, also while counters are reset, the cache
 * is flushed and options change; and every format says the same. */
#include "drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jansson.h>
#include <cmocka.h>

enum { LOOKUPS = 3 }; /* of an operation: slot, key, context */

static json_t *stat_json(const struct live *live) {
    json_error_t error;
    char *answer = ask(live->socket, "show stat json");
    json_t *root = json_loads(answer, 0, &error);
    if (!root)
        fail_msg("%s: %s", error.text, answer);
    free(answer);
    return root;
}

static json_int_t value(json_t *root, const char *part, const char *name) {
    json_t *number = json_object_get(json_object_get(root, part), name);
    if (!json_is_integer(number))
        fail_msg("no %s.%s", part, name);
    return json_integer_value(number);
}

static void plain_counts(void **state) {
    (void)state;
    struct live live = live_start(8, NULL);
    assert_int_equal(live_tell(&live, "run 1000"), 8000);
    json_t *root = stat_json(&live);
    json_int_t calls = value(root, "counters", "calls");
    assert_int_equal(calls, LOOKUPS * 8001); /* and one before "ready" */
    assert_int_equal(calls, value(root, "counters", "hits") + value(root, "counters", "misses"));
    assert_int_equal(value(root, "counters", "import_misses"), 1);
    assert_int_equal(value(root, "counters", "handles_made"), 8001);
    assert_int_equal(value(root, "counters", "handles_destroyed"), 8001);
    assert_int_equal(value(root, "counters", "operations_aes_cbc_pad_encrypt"), 8001);
    assert_int_equal(value(root, "counters", "bytes_aes_cbc_pad_encrypt"), 8001 * 29);
    assert_int_equal(value(root, "counters", "engines_reused"), value(root, "counters", "create_hits"));
    assert_int_equal(value(root, "gauges", "keys_now"), 1);
    assert_int_equal(value(root, "gauges", "handles_now"), 0);
    assert_int_equal(value(root, "gauges", "threads_now"), 1);
    assert_int_equal(value(root, "gauges", "engines_now"), value(root, "counters", "engines_made"));
    assert_string_equal(json_string_value(json_object_get(root, "program")), "live");
    assert_int_equal(json_integer_value(json_object_get(root, "pid")), live.pid);
    json_decref(root);
    live_end(&live);
}

/* With sample=1 each call is in a histogram, once. */
static void every_call_sampled(void **state) {
    (void)state;
    struct live live = live_start(8, (const char *const[]){"PK11CACHE_SAMPLE=1", NULL});
    live_tell(&live, "run 500");
    json_t *root = stat_json(&live), *operations = json_object_get(json_object_get(root, "latency"), "operations");
    static const char *const names[] = {"best_slot", "import", "create", "cipher_op", "final", "destroy", "free_key"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *operation = json_object_get(operations, names[i]), *bucket;
        size_t index;
        json_int_t in_buckets = 0, p50 = json_integer_value(json_object_get(operation, "p50"));
        json_array_foreach(json_object_get(operation, "buckets"), index, bucket) in_buckets +=
            json_integer_value(json_array_get(bucket, 2));
        /* the first call of all is made while there is no root yet to keep it */
        assert_in_range(in_buckets, 4000, 4001);
        assert_int_equal(json_integer_value(json_object_get(operation, "count")), in_buckets);
        assert_true(p50 > 0 && p50 <= json_integer_value(json_object_get(operation, "max")));
        assert_true(p50 <= json_integer_value(json_object_get(operation, "p99")));
    }
    json_decref(root);
    live_end(&live);
}

/* One in 64 of 8 x 20,000: the binomial's six standard deviations. */
static void sampling_is_fair(void **state) {
    (void)state;
    struct live live = live_start(8, (const char *const[]){"PK11CACHE_SAMPLE=64", NULL});
    live_tell(&live, "run 20000");
    json_t *root = stat_json(&live), *operations = json_object_get(json_object_get(root, "latency"), "operations"),
           *one;
    const char *name;
    json_object_foreach(operations, name, one) {
        if (strcmp(name, "digest_op") != 0)
            assert_in_range(json_integer_value(json_object_get(one, "count")), 2500 - 300, 2500 + 300);
    }
    json_decref(root);
    free(ask(live.socket, "set sample 0; reset"));
    live_tell(&live, "run 5000"); /* new threads */
    root = stat_json(&live);
    json_object_foreach(json_object_get(json_object_get(root, "latency"), "operations"), name, one)
        assert_int_equal(json_integer_value(json_object_get(one, "count")), 0);
    json_decref(root);
    live_end(&live);
}

static void take_reset(const char *answer, unsigned long long sums[4]) {
    sums[0] += number_in(answer, "calls");
    sums[1] += number_in(answer, "hits");
    sums[2] += number_in(answer, "misses");
    sums[3] += number_in(answer, "bypasses");
}

static void exact_while_disturbed(void **state) {
    (void)state;
    static const char *const disturbances[] = {"flush",
                                               "set engine off",
                                               "set engine stream",
                                               "set engine reset",
                                               "set engine stream",
                                               "set sample 3",
                                               "set sites 50",
                                               "set max_engines 7",
                                               "set max_engines 16384",
                                               "set idle_ttl 1",
                                               "show keys; show sites"};
    struct live live = live_start(8, NULL);
    unsigned long long sums[4] = {0}, resets = 0;
    live_send(&live, "run 40000");
    for (unsigned i = 0; i < 200; i++) {
        char *answer = ask(live.socket, disturbances[i % (sizeof disturbances / sizeof *disturbances)]);
        assert_int_not_equal(strncmp(answer, "error", 5), 0);
        free(answer);
        answer = ask(live.socket, "reset");
        take_reset(answer, sums);
        free(answer);
        resets++;
    }
    assert_int_equal(live_await(&live), 320000);
    char *answer = ask(live.socket, "reset");
    take_reset(answer, sums);
    free(answer);
    assert_int_equal(sums[0], LOOKUPS * 320001);
    assert_int_equal(sums[1] + sums[2] + sums[3], sums[0]);
    assert_true(sums[1] && sums[2] && sums[3]);
    json_t *root = stat_json(&live);
    assert_int_equal(value(root, "counters", "calls"), 0);
    assert_int_equal(value(root, "gauges", "handles_now"), 0);
    json_decref(root);
    printf("%llu resets, calls %llu, hits %llu, misses %llu, bypasses %llu\n", resets, sums[0], sums[1], sums[2],
           sums[3]);
    live_end(&live);
}

static void engine_off_and_on(void **state) {
    (void)state;
    struct live live = live_start(4, NULL);
    live_tell(&live, "run 100");
    free(ask(live.socket, "set engine off"));
    char *info = ask(live.socket, "show info");
    assert_non_null(strstr(info, "mode: off"));
    assert_int_equal(number_in(info, "keys:"), 0);
    assert_int_equal(number_in(info, "engines:"), 0);
    free(info);
    free(ask(live.socket, "reset"));
    live_tell(&live, "run 100");
    json_t *root = stat_json(&live);
    assert_int_equal(value(root, "counters", "bypass_off"), LOOKUPS * 400);
    assert_int_equal(value(root, "counters", "hits"), 0);
    json_decref(root);
    free(ask(live.socket, "set engine stream; reset"));
    live_tell(&live, "run 1000");
    root = stat_json(&live);
    assert_int_equal(value(root, "counters", "calls"), LOOKUPS * 4000);
    assert_int_equal(value(root, "counters", "bypasses"), 0);
    assert_true(value(root, "counters", "hits") > LOOKUPS * 4000 * 99 / 100);
    json_decref(root);
    live_end(&live);
}

/* Started with the engine off it has a socket too, and can be switched on. */
static void started_off(void **state) {
    (void)state;
    struct live live = live_start(2, (const char *const[]){"PK11CACHE_ENGINE=off", NULL});
    live_tell(&live, "run 10");
    free(ask(live.socket, "set engine stream; reset"));
    live_tell(&live, "run 1000");
    json_t *root = stat_json(&live);
    assert_true(value(root, "counters", "hits") > LOOKUPS * 2000 * 99 / 100);
    json_decref(root);
    live_end(&live);
}

/* Text, JSON and Prometheus have the same list, and when nothing runs the same values. */
static void formats_agree(void **state) {
    (void)state;
    struct live live = live_start(2, NULL);
    live_tell(&live, "run 300");
    live_tell(&live, "bypass 5");
    char *text = ask(live.socket, "show stat"), *metrics = ask(live.socket, "show metrics");
    json_t *root = stat_json(&live), *number;
    const char *name;
    unsigned compared = 0, samples = 0;
    json_object_foreach(json_object_get(root, "counters"), name, number) {
        if (strncmp(name, "socket_", 7) != 0) {
            assert_int_equal(number_in(text, name), json_integer_value(number));
            compared++;
        }
    }
    json_object_foreach(json_object_get(root, "gauges"), name, number) {
        if (strcmp(name, "memory_bytes") != 0) /* the helper's own may have grown between the two */
            assert_int_equal(number_in(text, name), json_integer_value(number));
    }
    for (const char *line = metrics; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        samples += strncmp(line, "pk11cache_", 10) == 0 && strstr(line, "_total{") &&
                   strstr(line, "_total{") < strchr(line, '\n');
    /* the four totals of JSON are sums in Prometheus */
    assert_int_equal(samples, json_object_size(json_object_get(root, "counters")) - 4);
    assert_true(compared > 60);
    assert_non_null(strstr(metrics, "reason=\"mechanism\"} 5\n"));
    json_decref(root);
    free(text);
    free(metrics);
    live_end(&live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_counts),      cmocka_unit_test(every_call_sampled),
        cmocka_unit_test(sampling_is_fair),  cmocka_unit_test(exact_while_disturbed),
        cmocka_unit_test(engine_off_and_on), cmocka_unit_test(started_off),
        cmocka_unit_test(formats_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
