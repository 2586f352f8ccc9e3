#include "ab.h"

#include <math.h>
#include <stdio.h>

/* All that stand in the table beside the verdict's figure hold at once with 95 %. In a table of depths the first
 * figure's rows are such others too: the verdict is over all depths. */
static double confidence_of(const struct ab_experiment *experiment, int figure) {
    bool alone = figure == 0 && experiment->depths_count == 1;
    int others = experiment->figures_count * experiment->depths_count - (experiment->depths_count == 1);
    return alone ? 0.95 : bonferroni_confidence(0.95, (size_t)others);
}

struct ab_comparison ab_compare(const struct ab_experiment *experiment, int depth, int figure) {
    double without[PAIRS_MAX], with[PAIRS_MAX];
    struct ab_comparison result = {.confidence = confidence_of(experiment, figure)};
    struct random_source source = {experiment->seed + 1};
    result.pairs = ab_pairs(experiment, depth, figure, without, with);
    size_t pairs = (size_t)result.pairs;
    result.median[WITHOUT] = statistics_median(without, pairs);
    result.median[WITH] = statistics_median(with, pairs);
    result.ratio = paired_ratio(without, with, pairs, result.confidence);
    result.bootstrap = paired_ratio_bootstrap(without, with, pairs, result.confidence, &source);
    result.p = mann_whitney(without, pairs, with, pairs);
    result.shift = hodges_lehmann(without, pairs, with, pairs);
    return result;
}

/* The geometric mean over the depths of one pair and arm; NAN where one is missing. */
static double over_depths(const struct ab_experiment *experiment, int pair, enum ab_arm arm) {
    double logs = 0;
    for (int depth = 0; depth < experiment->depths_count; depth++) {
        const struct ab_run *run = ab_find(experiment, pair, arm, depth);
        logs += run && run->values[0] > 0 ? log(run->values[0]) : NAN;
    }
    return exp(logs / experiment->depths_count);
}

struct interval ab_verdict_ratio(const struct ab_experiment *experiment, int *pairs) {
    double without[PAIRS_MAX], with[PAIRS_MAX];
    *pairs = 0;
    for (int pair = 0; pair < experiment->pairs_wanted && *pairs < PAIRS_MAX; pair++) {
        without[*pairs] = over_depths(experiment, pair, WITHOUT);
        with[*pairs] = over_depths(experiment, pair, WITH);
        *pairs += !isnan(without[*pairs]) && !isnan(with[*pairs]);
    }
    return paired_ratio(without, with, (size_t)*pairs, 0.95);
}

static double percent(double ratio) {
    return fabs(ratio - 1) * 100;
}

static const char *judgement(const struct ab_figure *figure, bool less) {
    if (figure->sense == SENSE_UNKNOWN)
        return "";
    return less == (figure->sense == LESS_IS_BETTER) ? ": it is better" : ": it is worse";
}

bool ab_verdict(const struct ab_experiment *experiment, char *text, size_t size) {
    int pairs;
    struct interval ratio = ab_verdict_ratio(experiment, &pairs);
    const struct ab_figure *figure = &experiment->figures[0];
    const char *over = experiment->depths_count > 1 ? ", over all depths" : "";
    if (pairs < 2 || isnan(ratio.estimate)) {
        snprintf(text, size, "No verdict: %s.",
                 pairs < 2 ? "it takes at least two pairs of runs that succeeded"
                           : "a ratio needs figures greater than zero");
        return false;
    }
    if (ratio.low <= 1 && 1 <= ratio.high) {
        snprintf(text, size,
                 "No difference shown: with the preload, %s is %.3g times what it is without%s "
                 "(95 %% interval %.3g to %.3g, %d pairs).",
                 figure->name, ratio.estimate, over, ratio.low, ratio.high, pairs);
        return true;
    }
    bool less = ratio.estimate < 1;
    double near = less ? ratio.high : ratio.low, far = less ? ratio.low : ratio.high;
    snprintf(text, size, "With the preload, %s is %.3g %% %s%s (95 %% interval %.3g to %.3g %%, %d pairs)%s.",
             figure->name, percent(ratio.estimate), less ? "less" : "more", over, percent(near), percent(far), pairs,
             judgement(figure, less));
    return true;
}
