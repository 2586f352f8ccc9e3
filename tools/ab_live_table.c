/* The tables and warnings of `ab live`. Times are in us. */
#include "ab_live.h"
#include "format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const arm_names[AB_ARMS] = {"control", "cached"};

static void print_us(double ns) {
    if (isnan(ns))
        printf(" %9s", "-");
    else
        printf(" %9.3f", ns / 1e3);
}

static void print_arm(const struct live_result *r, enum ab_arm which) {
    const struct live_arm *arm = &r->arms[which];
    static const double shares[] = {0.5, 0.9, 0.99, 0.999};
    printf("%-8s %11llu", arm_names[which], (unsigned long long)arm->operations);
    print_us(histogram_mean(&arm->all));
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        print_us(histogram_quantile(&arm->all, shares[i]));
    print_us(arm->all.total ? (double)arm->all.max - arm->all.overhead : NAN);
    print_us(arm->cpu);
    putchar('\n');
}

static void print_figure(const char *name, const struct histogram_comparison *c) {
    printf("%-5s difference %9.3f us (%.3f to %.3f), ratio %.3f (%.3f to %.3f), at %.4g %%\n", name,
           c->difference.estimate / 1e3, c->difference.low / 1e3, c->difference.high / 1e3, c->ratio.estimate,
           c->ratio.low, c->ratio.high, 100 * c->confidence);
}

static void print_classes(const struct live_result *r) {
    printf("\n%-8s %8s %11s %11s %11s %11s %7s\n", "does", "bytes <=", "ops control", "ops cached", "p50 control",
           "p50 cached", "ratio");
    for (int i = 0; i < r->classes_count; i++) {
        const struct live_class *c = &r->classes[i];
        double without = histogram_quantile(&c->arms[WITHOUT], 0.5), with = histogram_quantile(&c->arms[WITH], 0.5);
        printf("%-8s %8s %11llu %11llu  ", c->direction, c->size, (unsigned long long)c->arms[WITHOUT].total,
               (unsigned long long)c->arms[WITH].total);
        print_us(without);
        printf("  ");
        print_us(with);
        isnan(with / without) ? printf("       -\n") : printf(" %7.3f\n", with / without);
    }
}

static void print_saving(const struct live_result *r, const struct live_context *context) {
    struct live_saving saving = live_saving(r, context);
    if (isnan(saving.per_second))
        printf("CPU per operation: too few operations had theirs taken (one in 256 has).\n");
    else if (isnan(saving.share))
        printf("At %.0f operations a second the cache saves %.1f ms of CPU a second.\n", saving.rate,
               saving.per_second);
    else
        printf("At %.0f operations a second the cache saves %.1f ms of CPU a second, %.1f %% of what the process would "
               "use "
               "without it.\n",
               saving.rate, saving.per_second, 100 * saving.share);
}

void live_table(const struct live_result *r, const struct live_context *context) {
    printf("%s (%d), %.1f s, share of the control arm %.3g%s%s; us, without the cost of measuring (%.0f ns)\n\n",
           context->process.name, (int)context->process.pid, r->elapsed, r->share,
           strcmp(r->kind, "ab") ? ", A/A: " : "", strcmp(r->kind, "ab") ? r->kind : "", r->arms[WITH].all.overhead);
    printf("%-8s %11s %9s %9s %9s %9s %9s %9s %9s\n", "arm", "operations", "mean", "p50", "p90", "p99", "p99.9", "max",
           "CPU/op");
    print_arm(r, WITHOUT);
    print_arm(r, WITH);
    if (!r->compared)
        return;
    print_classes(r);
    putchar('\n');
    print_figure("p50", &r->figures[LIVE_P50]);
    print_figure("p99", &r->figures[LIVE_P99]);
    print_figure("mean", &r->figures[LIVE_MEAN]);
    putchar('\n');
    print_saving(r, context);
}

static void warn(FILE *to, const char *what, const char *advice) {
    fprintf(to, "Warning: %s; %s.\n", what, advice);
}

void live_warnings(const struct live_result *r, const struct live_context *context, FILE *to) {
    char text[160];
    uint64_t least =
        r->arms[WITHOUT].operations < r->arms[WITH].operations ? r->arms[WITHOUT].operations : r->arms[WITH].operations;
    uint64_t all = r->arms[WITHOUT].operations + r->arms[WITH].operations;
    if (context->died)
        warn(to, "the process ended, or stopped answering, before the experiment did", "what there is was kept");
    else if (context->interrupted)
        warn(to, "it was ended early", "the figures are those until then");
    if (all && least < 1000) {
        snprintf(text, sizeof text, "one arm has %llu operations only", (unsigned long long)least);
        warn(to, text, "give it a longer --duration, a busier hour, or a --share nearer to 0.5");
    }
    if (r->discarded * 20 > all) {
        snprintf(text, sizeof text,
                 "%llu operations were discarded, since another began on their thread before they ended",
                 (unsigned long long)r->discarded);
        warn(to, text, "what was measured may be a selection: pk11cache sites shows who builds contexts");
    }
    if (all && fabs((double)r->arms[WITHOUT].operations / (double)all - r->share) >
                   5 * sqrt(r->share * (1 - r->share) / (double)all) + 1e-9)
        warn(to, "the arms' sizes are not what the share says", "please report it");
}
