/* The tables of `ab run` (figures down) and `ab daemon` (depths down, arms across), for a person. */
#include "ab.h"

#include <math.h>
#include <stdio.h>

/* Four digits, whatever the size. */
static const char *number(double value, char text[32]) {
    double size = fabs(value);
    int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4;
    if (isnan(value))
        snprintf(text, 32, "-");
    else if (size > 0 && size < 0.001)
        snprintf(text, 32, "%.3g", value);
    else
        snprintf(text, 32, "%.*f", decimals, value);
    return text;
}

static const char *p_value(double p, char text[32]) {
    snprintf(text, 32, isnan(p) ? "-" : p < 0.0001 ? "< 0.0001" : "%.4f", p);
    return text;
}

static void figure_row(const struct ab_experiment *experiment, int figure) {
    const struct ab_figure *f = &experiment->figures[figure];
    struct ab_comparison c = ab_compare(experiment, 0, figure);
    char name[METRIC_NAME + 12], a[32], b[32], shift[32], p[32], interval[48] = "-", ratio[32] = "-";
    snprintf(name, sizeof name, *f->unit ? "%s (%s)" : "%s", f->name, f->unit);
    if (!isnan(c.ratio.estimate)) {
        snprintf(ratio, sizeof ratio, "%.3f", c.ratio.estimate);
        snprintf(interval, sizeof interval, "%.3f .. %.3f", c.ratio.low, c.ratio.high);
    }
    printf("%-18s %10s %10s %8s %18s %10s %9s\n", name, number(c.median[WITHOUT], a), number(c.median[WITH], b), ratio,
           interval, number(c.shift, shift), p_value(c.p, p));
}

void ab_run_table(const struct ab_experiment *experiment) {
    double without[PAIRS_MAX], with[PAIRS_MAX];
    int pairs = ab_pairs(experiment, 0, 0, without, with);
    for (char **word = experiment->command; *word; word++)
        printf("%s%s", *word, word[1] ? " " : "");
    printf("\n%d pairs; medians, ratio with / without, shift in the unit, Mann-Whitney p\n\n", pairs);
    printf("%-18s %10s %10s %8s %18s %10s %9s\n", "", "without", "with", "ratio", "interval", "shift", "p");
    for (int figure = 0; figure < experiment->figures_count; figure++)
        figure_row(experiment, figure);
    printf("\nThe verdict rests on %s (95 %%); the other intervals hold together with 95 %%.\n",
           experiment->figures[0].name);
}

/* Positive is better, as storage tables have it: more IOPS, less latency. Of an unknown sense: the change. */
static double improvement(const struct ab_figure *figure, double ratio) {
    return 100 * (figure->sense == LESS_IS_BETTER ? 1 - ratio : ratio - 1);
}

static void daemon_cell(const struct ab_experiment *experiment, int depth, int figure) {
    struct ab_comparison c = ab_compare(experiment, depth, figure);
    const struct ab_figure *f = &experiment->figures[figure];
    double ends[] = {improvement(f, c.ratio.low), improvement(f, c.ratio.high)};
    char a[32], b[32], range[48] = "-";
    if (c.pairs > 1 && !isnan(c.ratio.estimate))
        snprintf(range, sizeof range, "%+.1f (%+.1f .. %+.1f)", improvement(f, c.ratio.estimate),
                 fmin(ends[0], ends[1]), fmax(ends[0], ends[1]));
    printf(" %9s %9s %24s", number(c.median[WITHOUT], a), number(c.median[WITH], b), range);
}

static int depth_rows(const struct ab_experiment *experiment, int from, int columns) {
    int to = from + columns < experiment->figures_count ? from + columns : experiment->figures_count;
    printf("\n%5s", "");
    for (int figure = from; figure < to; figure++) {
        char name[METRIC_NAME + 12];
        const struct ab_figure *f = &experiment->figures[figure];
        snprintf(name, sizeof name, *f->unit ? "%s (%s)" : "%s", f->name, f->unit);
        printf(" %44s", name);
    }
    printf("\n%5s", experiment->depths[0] ? "depth" : "");
    for (int figure = from; figure < to; figure++)
        printf(" %9s %9s %24s", "without", "with",
               experiment->figures[figure].sense == SENSE_UNKNOWN ? "change, %" : "improvement, %");
    putchar('\n');
    for (int depth = 0; depth < experiment->depths_count; depth++) {
        if (experiment->depths[depth])
            printf("%5d", experiment->depths[depth]);
        else
            printf("%5s", "");
        for (int figure = from; figure < to; figure++)
            daemon_cell(experiment, depth, figure);
        putchar('\n');
    }
    return to;
}

void ab_daemon_table(const struct ab_experiment *experiment) {
    int pairs;
    ab_verdict_ratio(experiment, &pairs);
    printf("daemon: %s\nload: %s\n%d pairs; medians, and the improvement with the preload (positive is better)\n",
           experiment->command[0], experiment->command[2], pairs);
    for (int figure = 0; figure < experiment->figures_count;)
        figure = depth_rows(experiment, figure, 2);
    if (experiment->depths_count > 1)
        puts("\nAll intervals in the table hold together with 95 %.");
    else
        printf("\nThe verdict rests on %s (95 %%); the other intervals hold together with 95 %%.\n",
               experiment->figures[0].name);
}
