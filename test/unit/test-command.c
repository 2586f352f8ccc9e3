/* The command parser in this process, under the sanitizers too: a fuzzer, the bounds, and text. */
#include "stats/command.h"
#include "stats/counters.h"
#include "test/unit/mock_nss.h"

#include <stdlib.h>

static char *run(const char *line, enum command_wish *wish) {
    struct text text = {0};
    char copy[8192];
    snprintf(copy, sizeof copy, "%s", line);
    enum command_wish got = command_run(&text, copy);
    if (wish)
        *wish = got;
    char *answer = strdup(text.data ? text.data : "");
    assert_int_equal(text.used, strlen(answer));
    text_free(&text);
    return answer;
}

static void expect(const char *line, const char *begin) {
    char *answer = run(line, NULL);
    if (strncmp(answer, begin, strlen(begin)) != 0)
        fail_msg("%s: %s", line, answer);
    free(answer);
}

static void answers(void **state) {
    (void)state;
    enum command_wish wish;
    mock_start();
    expect("help", "help ");
    expect("show info", "version: ");
    expect("show stat json", "{\"schema\":1,");
    expect("show metrics", "# HELP pk11cache_info ");
    expect("  show\tinfo  ", "version: ");
    expect("set sample 17", "ok: sample was ");
    expect("set PK11CACHE_SAMPLE 18", "ok: sample was 17, is 18\n");
    expect("flush", "ok: 0 keys and 0 engines before, 0 and 0 after\n");
    expect("reset", "ok: until now calls ");
    expect("", "error: no command; ");
    expect(" ; ;", "error: no command; ");
    expect("shove", "error: unknown command; ");
    expect("show", "error: show what?; ");
    expect("show stat xml", "error: too many words; ");
    expect("show nothing", "error: there is nothing of that name to show; ");
    expect("set", "error: set takes an option and a value; ");
    expect("set sample", "error: set takes an option and a value; ");
    expect("set sample 1 2 3 4 5 6 7 8", "error: set takes an option and a value; ");
    expect("set sample 1000001", "error: sample takes 0..1000000; ");
    expect("set engine fast", "error: engine takes stream|reset|off; ");
    expect("set max_keys 5", "error: max_keys is read at the start only: ");
    expect("set colour red", "error: there is no such option; ");
    expect("flush now", "error: too many words; ");
    expect("show\001info", "error: control characters in the line; ");
    expect("a;b;c", "error: unknown command");
    free(run("prompt", &wish));
    assert_int_equal(wish, COMMAND_STAY);
    free(run("quit; prompt", &wish));
    assert_int_equal(wish, COMMAND_QUIT);
    free(run("show info", &wish));
    assert_int_equal(wish, COMMAND_CLOSE);
    char *answer =
        run("help;help;help;help;help;help;help;help;help;help;help;help;help;help;help;help;help;help;help;help;"
            "help;help;help;help;help;help;help;help;help;help;help;help;help",
            NULL);
    assert_non_null(strstr(answer, "error: too many commands; "));
    free(answer);
    mock_stop();
}

static void fuzz(void **state) {
    (void)state;
    static const char *const pieces[] = {"show",
                                         "stat",
                                         "json",
                                         "info",
                                         "keys",
                                         "sites",
                                         "config",
                                         "metrics",
                                         "set",
                                         "flush",
                                         "reset",
                                         "help",
                                         "engine",
                                         "off",
                                         "reset",
                                         "stream",
                                         "sample",
                                         "sites",
                                         "stacks",
                                         "no",
                                         "yes",
                                         "0",
                                         "1",
                                         "-1",
                                         "1e3",
                                         "0x10",
                                         " ",
                                         "  ",
                                         ";",
                                         "\t",
                                         "%n%s",
                                         "prompt",
                                         "quit",
                                         "99999999999999999999999",
                                         "idle_ttl",
                                         "max_engines",
                                         "PK11CACHE_SITES"};
    unsigned seed = 4711;
    mock_start();
    for (unsigned i = 0; i < 30000; i++) {
        char line[1024] = "";
        for (int n = rand_r(&seed) % 12; n >= 0; n--) {
            const char *piece = pieces[(unsigned)rand_r(&seed) % (sizeof pieces / sizeof *pieces)];
            if (strcmp(piece, "off") == 0 && i % 16)
                continue;
            strcat(line, piece);
            if (rand_r(&seed) % 5)
                strcat(line, " ");
        }
        if (rand_r(&seed) % 4 == 0 && *line)
            line[(size_t)rand_r(&seed) % strlen(line)] = (char)(1 + rand_r(&seed) % 255);
        free(run(line, NULL));
        if (i % 50 == 0) {
            PK11SymKey *key = mock_import((unsigned char)i, 16);
            real.PK11_FreeSymKey(key);
        }
    }
    free(run("set engine stream;set stacks yes;set max_engines 16384", NULL));
    mock_stop();
    assert_int_equal(mock_keys_alive, 0);
}

static void quoting(void **state) {
    (void)state;
    struct text text = {0};
    text_add_quoted(&text, "a\"b\\c\nd\xc3\xa9\xff\xc0\x80\xed\x7f");
    assert_string_equal(text.data, "\"a\\\"b\\\\c?d\xc3\xa9????\?\"");
    text_free(&text);
    for (int i = 0; i < 1000 && !text.cut; i++)
        text_add(&text, "%20000d", i);
    assert_true(text.cut && text.used <= TEXT_MAX);
    text_free(&text);
}

/* A Prometheus family stands together, and no name comes twice. */
static void the_list(void **state) {
    (void)state;
    for (unsigned i = 0; i < counter_list_size; i++)
        for (unsigned j = i + 1; j < counter_list_size; j++) {
            assert_string_not_equal(counter_list[i].name, counter_list[j].name);
            if (strcmp(counter_list[i].metric, counter_list[j].metric) != 0)
                continue;
            assert_string_not_equal(counter_list[i].labels, counter_list[j].labels);
            assert_string_equal(counter_list[j - 1].metric, counter_list[j].metric);
            assert_string_equal(counter_list[i].unit, counter_list[j].unit);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers), cmocka_unit_test(fuzz), cmocka_unit_test(quoting),
                                       cmocka_unit_test(the_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
