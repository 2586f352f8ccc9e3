/* Every value of an experiment, and what was made of them, as JSON: schema 1. Numbers that can't be had are null. */
#include "ab.h"
#include "command.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const char *const arms[AB_ARMS] = {"without", "with"};
static const char *const sense[] = {"less", "unknown", "more"};

static json_t *real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/* What a program prints need not be UTF-8. */
static json_t *text(const char *string) {
    json_t *value = json_string(string);
    if (value || !string)
        return value ? value : json_null();
    char copy[4096];
    size_t length = 0;
    for (; string[length] && length + 1 < sizeof copy; length++)
        copy[length] = (string[length] & 0x80) ? '?' : string[length];
    copy[length] = 0;
    return json_string(copy);
}

static json_t *interval(struct interval of) {
    return json_pack("{s:o,s:o,s:o}", "estimate", real(of.estimate), "low", real(of.low), "high", real(of.high));
}

static json_t *runs(const struct ab_experiment *experiment) {
    json_t *list = json_array();
    for (int i = 0; i < experiment->runs_count; i++) {
        const struct ab_run *run = &experiment->runs[i];
        json_t *values = json_object();
        for (int figure = 0; figure < experiment->figures_count && !run->failed; figure++)
            json_object_set_new(values, experiment->figures[figure].name, real(run->values[figure]));
        json_array_append_new(list,
                              json_pack("{s:i,s:o,s:b,s:s,s:i,s:o,s:o}", "turn", i, "pair",
                                        run->pair == WARM_UP ? json_null() : json_integer(run->pair), "warm_up",
                                        run->pair == WARM_UP, "arm", arms[run->arm], "depth",
                                        experiment->depths[run->depth], "failed", text(run->failed), "values", values));
    }
    return list;
}

static json_t *lives(const struct ab_experiment *experiment) {
    json_t *list = json_array();
    for (int i = 0; i < experiment->lives_count; i++) {
        const struct ab_life *life = &experiment->lives[i];
        json_array_append_new(list, json_pack("{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:b}", "pair",
                                              life->pair == WARM_UP ? json_null() : json_integer(life->pair), "arm",
                                              arms[life->arm], "ready_s", real(life->ready), "stop_s", real(life->stop),
                                              "user_s", real(life->user), "system_s", real(life->system), "peak_mib",
                                              real(life->peak), "killed", life->killed));
    }
    return list;
}

static json_t *comparisons(const struct ab_experiment *experiment) {
    json_t *list = json_array();
    for (int depth = 0; depth < experiment->depths_count; depth++)
        for (int figure = 0; figure < experiment->figures_count; figure++) {
            const struct ab_figure *f = &experiment->figures[figure];
            struct ab_comparison c = ab_compare(experiment, depth, figure);
            json_array_append_new(list, json_pack("{s:i,s:s,s:s,s:s,s:i,s:o,s:o,s:f,s:o,s:o,s:o,s:o}", "depth",
                                                  experiment->depths[depth], "figure", f->name, "unit", f->unit,
                                                  "better", sense[f->sense + 1], "pairs", c.pairs, "median_without",
                                                  real(c.median[WITHOUT]), "median_with", real(c.median[WITH]),
                                                  "confidence", c.confidence, "ratio", interval(c.ratio),
                                                  "ratio_bootstrap", interval(c.bootstrap), "mann_whitney_p", real(c.p),
                                                  "hodges_lehmann_shift", real(c.shift)));
        }
    return list;
}

static json_t *warnings(const struct ab_experiment *experiment) {
    static struct ab_warning found[WARNINGS_MAX];
    int count = ab_warnings(experiment, found);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("{s:s,s:o,s:s}", "name", found[i].name, "text", text(found[i].text),
                                              "advice", found[i].advice));
    return list;
}

static json_t *verdict(const struct ab_experiment *experiment) {
    char sentence[512];
    int pairs;
    struct interval ratio = ab_verdict_ratio(experiment, &pairs);
    bool reached = ab_verdict(experiment, sentence, sizeof sentence);
    return json_pack("{s:b,s:s,s:s,s:i,s:o,s:b}", "reached", reached, "text", sentence, "figure",
                     experiment->figures[0].name, "pairs", pairs, "ratio", interval(ratio), "difference_shown",
                     reached && !(ratio.low <= 1 && 1 <= ratio.high));
}

bool ab_json(const struct ab_experiment *experiment, const char *file) {
    json_t *command = json_array();
    for (char **word = experiment->command; *word; word++)
        json_array_append_new(command, text(*word));
    json_t *root = json_pack(
        "{s:i,s:s,s:s,s:o,s:o,s:I,s:i,s:b,s:o,s:o,s:o,s:o,s:o,s:o}", "schema", 1, "kind", experiment->kind, "version",
        PK11CACHE_VERSION, "command", command, "library", text(experiment->library), "seed",
        (json_int_t)experiment->seed, "pairs_wanted", experiment->pairs_wanted, "interrupted", experiment->interrupted,
        "busy", real(experiment->busy), "runs", runs(experiment), "lives", lives(experiment), "comparisons",
        comparisons(experiment), "warnings", warnings(experiment), "verdict", verdict(experiment));
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(9);
    bool fine = root && (strcmp(file, "-") ? json_dump_file(root, file, flags) : json_dumpf(root, stdout, flags)) == 0;
    if (fine && !strcmp(file, "-"))
        putchar('\n');
    if (!fine)
        complain("%s can't be written: %s", file, strerror(errno));
    json_decref(root);
    return fine;
}
