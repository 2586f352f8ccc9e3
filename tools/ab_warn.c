/* The closed list of warnings, each with advice. */
#include "ab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum kind { FAILED, NOT_ACTING, KILLED, TOO_FEW, TOO_SHORT, SLOW_FIRST, OUTLIERS, BUSY };

static const struct {
    const char *name, *advice;
} kinds[] = {
    [FAILED] = {"command failed",
                "a pair counts only when both its runs succeed; find out why, since runs that survive are a selection"},
    [NOT_ACTING] = {"cache not seen to act", "see what it does for this program: pk11cache run --children -- COMMAND"},
    [KILLED] = {"daemon killed", "give it more time with --grace, or find out why SIGTERM does not end it"},
    [TOO_FEW] = {"too few pairs", "more --pairs make the interval narrower, with their square root"},
    [TOO_SHORT] = {"too short", "give it more work: at this length its start drowns what the cache can do"},
    [SLOW_FIRST] = {"slow first run", "something was not warm yet: use --warmup 3"},
    [OUTLIERS] = {"outliers", "something else disturbed single runs: stop it, or use more --pairs"},
    [BUSY] = {"busy machine", "stop the other programs, or measure at a quieter time"},
};

struct list {
    struct ab_warning *warnings;
    int count;
};

static __attribute__((format(printf, 3, 4))) void warn(struct list *list, enum kind kind, const char *format, ...) {
    if (list->count == WARNINGS_MAX)
        return;
    struct ab_warning *warning = &list->warnings[list->count++];
    va_list arguments;
    warning->name = kinds[kind].name;
    warning->advice = kinds[kind].advice;
    va_start(arguments, format);
    vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
}

static void failures(struct list *list, const struct ab_experiment *experiment) {
    const char *last = NULL;
    int count = 0;
    for (int i = 0; i < experiment->runs_count; i++)
        if (experiment->runs[i].failed) {
            last = experiment->runs[i].failed;
            count++;
        }
    if (count)
        warn(list, FAILED, "%d of %d runs failed, the last: %s", count, experiment->runs_count, last);
}

static void acting(struct list *list, const struct ab_experiment *experiment) {
    if (experiment->acted < experiment->preloaded)
        warn(list, NOT_ACTING, "in %d of %d turns with the preload nothing says that the cache served a call",
             experiment->preloaded - experiment->acted, experiment->preloaded);
}

static void kills(struct list *list, const struct ab_experiment *experiment) {
    int count = 0;
    for (int i = 0; i < experiment->lives_count; i++)
        count += experiment->lives[i].killed;
    if (count)
        warn(list, KILLED, "the daemon did not end after SIGTERM and was killed, %d of %d times", count,
             experiment->lives_count);
}

static void pairs(struct list *list, const struct ab_experiment *experiment) {
    int count;
    struct interval ratio = ab_verdict_ratio(experiment, &count);
    double reach = (ratio.high - ratio.low) / 2 / ratio.estimate * 100;
    if (count < 6)
        warn(list, TOO_FEW, "only %d pair%s", count, count == 1 ? "" : "s");
    else if (ratio.low <= 1 && 1 <= ratio.high && reach > 5)
        warn(list, TOO_FEW, "the interval reaches %.0f %% to each side, and a smaller difference can't be seen in it",
             reach);
}

/* Which of the values stick out, by five robust standard deviations and by a twentieth of the median. */
static int outliers(const double *values, int count, bool *first) {
    double median = statistics_median(values, (size_t)count), mad = statistics_mad(values, (size_t)count);
    int found = 0;
    *first = false;
    for (int i = 0; i < count && count >= 5; i++)
        if (fabs(values[i] - median) > fmax(5 * mad, fabs(median) / 20)) {
            *first = *first || (i == 0 && values[i] > median);
            found++;
        }
    return found;
}

static int find_figure(const struct ab_experiment *experiment, const char *name) {
    for (int i = 0; i < experiment->figures_count; i++)
        if (!strcmp(experiment->figures[i].name, name))
            return i;
    return 0;
}

/* A slow first run shows in the wall time; outliers are looked for in the verdict's figure. */
static void disturbances(struct list *list, const struct ab_experiment *experiment) {
    double values[AB_ARMS][PAIRS_MAX];
    int wall = find_figure(experiment, "wall"), found = 0, all = 0;
    bool slow = false;
    for (int depth = 0; depth < experiment->depths_count; depth++) {
        int count = ab_pairs(experiment, depth, 0, values[WITHOUT], values[WITH]);
        for (int arm = 0; arm < AB_ARMS; arm++) {
            bool first;
            found += outliers(values[arm], count, &first);
            all += count;
        }
        count = ab_pairs(experiment, depth, wall, values[WITHOUT], values[WITH]);
        for (int arm = 0; arm < AB_ARMS; arm++) {
            bool first;
            outliers(values[arm], count, &first);
            slow = slow || first;
        }
    }
    if (slow)
        warn(list, SLOW_FIRST, "the first pair took longer than the others");
    if (found)
        warn(list, OUTLIERS, "%d of %d values of %s are far from the others of their arm", found, all,
             experiment->figures[0].name);
}

static void shortness(struct list *list, const struct ab_experiment *experiment) {
    double values[AB_ARMS][PAIRS_MAX];
    int wall = find_figure(experiment, "wall");
    int count = ab_pairs(experiment, 0, wall, values[WITHOUT], values[WITH]);
    double median = statistics_median(values[WITHOUT], (size_t)count);
    if (median < 0.1)
        warn(list, TOO_SHORT, "a run takes only %.0f ms", median * 1000);
}

int ab_warnings(const struct ab_experiment *experiment, struct ab_warning warnings[WARNINGS_MAX]) {
    struct list list = {warnings, 0};
    failures(&list, experiment);
    acting(&list, experiment);
    kills(&list, experiment);
    pairs(&list, experiment);
    shortness(&list, experiment);
    disturbances(&list, experiment);
    if (experiment->busy > 0.1)
        warn(&list, BUSY, "other programs used %.0f %% of this machine's CPUs meanwhile", experiment->busy * 100);
    return list.count;
}
