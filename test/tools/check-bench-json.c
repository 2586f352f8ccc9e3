/* check-bench-json FILE: what `pk11cache bench --json` promises of its output. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int failed;
static void complain(const char *what, size_t at) {
    printf("result %zu: %s\n", at, what);
    failed = 1;
}

static const char *text(json_t *o, const char *name) {
    const char *value = json_string_value(json_object_get(o, name));
    return value ? value : "";
}

static int same(json_t *a, json_t *b, const char *name) {
    return json_equal(json_object_get(a, name), json_object_get(b, name));
}

int main(int argc, char **argv) {
    static const char *const arms[] = {"bare", "preload", "preload-reset", "source-reuse", "openssl-evp", "openssl-aes"};
    int seen[6] = {0};
    size_t i, j, pairs = 0;
    json_t *root = argc == 2 ? json_load_file(argv[1], 0, NULL) : NULL, *results = json_object_get(root, "results"), *r, *s;
    if (json_integer_value(json_object_get(root, "schema")) != 1 || json_array_size(results) < 40)
        complain("schema or results", 0);
    json_array_foreach(results, i, r) {
        for (j = 0; j < 6; j++)
            seen[j] += !strcmp(text(r, "arm"), arms[j]);
        if (!(json_number_value(json_object_get(r, "ns_per_op")) > 0) || !(json_number_value(json_object_get(r, "cpu_ns_per_op")) > 0) ||
            !(json_number_value(json_object_get(r, "ratio_to_bare")) > 0) || !json_integer_value(json_object_get(r, "bytes")) ||
            !json_integer_value(json_object_get(r, "threads")) || !*text(r, "sequence") || !*text(r, "op"))
            complain("a field is missing or zero", i);
        if (!strcmp(text(r, "arm"), "bare") && json_number_value(json_object_get(r, "ratio_to_bare")) != 1)
            complain("bare is not 1", i);
        json_array_foreach(results, j, s) if (j > i && strncmp(text(r, "arm"), "openssl", 7) == 0 && same(r, s, "arm") && same(r, s, "op") &&
                                              same(r, s, "bytes") && same(r, s, "threads")) {
            pairs++;
            if (!same(r, s, "ns_per_op"))
                complain("a yardstick differs between sequences", i);
        }
    }
    for (j = 0; j < 6; j++)
        if (!seen[j])
            complain(arms[j], j);
    if (!pairs)
        complain("no yardstick stands beside two sequences", 0);
    json_decref(root);
    return failed;
}
