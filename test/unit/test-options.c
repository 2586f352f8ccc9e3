/* Options: kinds, ranges, bad values, program selection. */
#include "test/unit/mock_nss.h"

#include <stdlib.h>

static void choices(void **state) {
    (void)state;
    long n = -7;
    assert_true(option_parse(CHOICE, "stream|reset|off", "stream", &n) && n == 0);
    assert_true(option_parse(CHOICE, "stream|reset|off", "off", &n) && n == 2);
    n = -7;
    assert_false(option_parse(CHOICE, "stream|reset|off", "", &n));
    assert_false(option_parse(CHOICE, "stream|reset|off", "strea", &n));
    assert_false(option_parse(CHOICE, "stream|reset|off", "stream|reset", &n));
    assert_int_equal(n, -7);
}

static void numbers(void **state) {
    (void)state;
    long n = -7;
    assert_true(option_parse(NUMBER, "1..86400", "1", &n) && n == 1);
    assert_true(option_parse(NUMBER, "1..86400", "86400", &n) && n == 86400);
    const char *bad[] = {"0", "86401", "", " 5", "+5", "5s", "5.5", "-1", "99999999999999999999", "0x10"};
    n = -7;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(option_parse(NUMBER, "1..86400", bad[i], &n));
    assert_int_equal(n, -7);
}

static void every_default_is_valid(void **state) {
    (void)state;
    long n;
#define OPTION(id, variable, kind, standard, range, when, help) assert_true(option_parse(kind, range, standard, &n));
#include "preload/options.def"
#undef OPTION
}

static void bad_value_keeps_default(void **state) {
    (void)state;
    setenv("PK11CACHE_MAX_KEYS", "many", 1);
    setenv("PK11CACHE_IDLE_TTL", "7", 1);
    options_load();
    assert_int_equal(options.max_keys.number, 4096);
    assert_int_equal(options.max_keys.source, FROM_DEFAULT);
    assert_int_equal(options.idle_ttl.number, 7);
    assert_int_equal(options.idle_ttl.source, FROM_ENVIRONMENT);
    unsetenv("PK11CACHE_MAX_KEYS");
    unsetenv("PK11CACHE_IDLE_TTL");
}

static void selection(void **state) {
    (void)state;
    const struct {
        const char *list;
        bool selected;
    } cases[] = {{"", true},          {"unit_options", true},       {"ceph-osd,unit_options", true},
                 {"ceph-osd", false}, {"unit_option", false},       {"unit_options2", false},
                 {",", false},        {"unit_options,other", true}, {"a,,unit_options", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        options.only.text = cases[i].list;
        assert_int_equal(options_select_program(), cases[i].selected);
    }
    options.only.text = "";
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(choices), cmocka_unit_test(numbers),
                                       cmocka_unit_test(every_default_is_valid),
                                       cmocka_unit_test(bad_value_keeps_default), cmocka_unit_test(selection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
