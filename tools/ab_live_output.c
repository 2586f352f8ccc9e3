/* The JSON and the picture of `ab live`. */
#include "ab_live.h"
#include "command.h"
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static json_t *real(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval(struct interval of) {
    return json_pack("{s:o,s:o,s:o}", "estimate", real(of.estimate), "low", real(of.low), "high", real(of.high));
}

static json_t *comparison(const struct histogram_comparison *c) {
    return json_pack("{s:f,s:o,s:o}", "confidence", c->confidence, "difference_ns", interval(c->difference), "ratio",
                     interval(c->ratio));
}

static json_t *arm(const struct live_arm *a) {
    return json_pack("{s:I,s:f,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:o,s:o}", "operations", (json_int_t)a->operations,
                     "overhead_ns", a->all.overhead, "mean_ns", real(histogram_mean(&a->all)), "p50_ns",
                     real(histogram_quantile(&a->all, 0.5)), "p90_ns", real(histogram_quantile(&a->all, 0.9)), "p99_ns",
                     real(histogram_quantile(&a->all, 0.99)), "p999_ns", real(histogram_quantile(&a->all, 0.999)),
                     "max_ns", real(a->all.total ? (double)a->all.max : NAN), "cpu_operations",
                     (json_int_t)a->cpu_count, "cpu_ns", real(a->cpu), "cpu_deviation_ns", real(a->cpu_deviation));
}

bool live_json(const struct live_result *r, const struct live_context *context, const char *file) {
    struct live_saving saving = live_saving(r, context);
    char sentence[512];
    live_verdict(r, sentence, sizeof sentence);
    json_t *root = json_pack("{s:i,s:s,s:i,s:s,s:f,s:f,s:s,s:b,s:b,s:I,s:s,s:o,s:o,s:O}", "schema", 1, "experiment",
                             "live", "pid", (int)context->process.pid, "program", context->process.name, "share",
                             r->share, "elapsed", r->elapsed, "kind", r->kind, "interrupted", context->interrupted,
                             "process_ended", context->died, "seed", (json_int_t)(context->seed >> 1), "verdict",
                             sentence, "without", arm(&r->arms[WITHOUT]), "with", arm(&r->arms[WITH]), "raw", r->raw);
    json_object_set_new(root, "saving",
                        json_pack("{s:o,s:o,s:o}", "operations_per_second", real(saving.rate), "cpu_ms_per_second",
                                  real(saving.per_second), "share_of_cpu", real(saving.share)));
    if (r->compared)
        json_object_set_new(root, "comparisons",
                            json_pack("{s:o,s:o,s:o}", "p50", comparison(&r->figures[LIVE_P50]), "p99",
                                      comparison(&r->figures[LIVE_P99]), "mean", comparison(&r->figures[LIVE_MEAN])));
    int failed =
        strcmp(file, "-") ? json_dump_file(root, file, JSON_INDENT(1)) : json_dumpf(root, stdout, JSON_INDENT(1));
    if (!strcmp(file, "-"))
        putchar('\n');
    json_decref(root);
    if (failed)
        complain("%s can't be written: %s", file, strerror(errno));
    return !failed;
}

/* The share of operations that took at most so long. */
static void cumulative(FILE *script, const char *name, const struct histogram *h) {
    double passed = 0;
    fprintf(script, "$%s << END\n", name);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (!h->counts[i])
            continue;
        double upper = fmin((double)histogram_upper(i), (double)h->max) - h->overhead;
        passed += (double)h->counts[i];
        if (upper > 0)
            fprintf(script, "%.9g %.9g\n", upper / 1e3, 100 * passed / (double)h->total);
    }
    fputs("END\n", script);
}

bool live_plot(const struct live_result *r, const struct live_context *context, const char *file) {
    char title[160];
    FILE *script = plot_open(file, 500);
    if (!script)
        return false;
    snprintf(title, sizeof title, "%s, %.0f s: latency of an operation without and with the cache",
             context->process.name, r->elapsed);
    cumulative(script, "control", &r->arms[WITHOUT].all);
    cumulative(script, "cached", &r->arms[WITH].all);
    fputs("set title ", script);
    plot_quote(script, title);
    fprintf(script,
            "\nset logscale x 10\nset format x '%%g'\nset xlabel 'latency of an operation (us)'\n"
            "set ylabel 'operations that took at most so long (%%)'\nset yrange [0:100]\nset grid\n"
            "set key bottom right\nset xrange [%.9g:%.9g]\n"
            "plot $control with steps lc rgb '#d95f02' lw 2 title 'control: bare NSS', "
            "$cached with steps lc rgb '#1f78b4' lw 2 title 'cached'\n",
            fmax(1e-3, histogram_quantile(&r->arms[WITH].all, 0.001) / 2e3),
            fmax(histogram_quantile(&r->arms[WITHOUT].all, 0.9995), histogram_quantile(&r->arms[WITH].all, 0.9995)) *
                1.5e-3);
    return plot_close(script, file);
}
