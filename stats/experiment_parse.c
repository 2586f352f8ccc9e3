#include "stats/experiment.h"

#include <stdlib.h>
#include <string.h>

static bool number_of(const char *text, double low, double high, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end != text && !*end && *number >= low && *number <= high;
}

const char *experiment_parse(const char *const *words, unsigned count, struct experiment_plan *plan) {
    double number;
    *plan = (struct experiment_plan){0};
    if (!count || !number_of(words[0], 0, 1, &plan->share))
        return "ab takes a share from 0 to 1: that of the control arm";
    for (unsigned i = 1; i < count; i++) {
        const char *next = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "both-bare") == 0) {
            plan->kind = EXPERIMENT_BOTH_BARE;
        } else if (strcmp(words[i], "both-cached") == 0) {
            plan->kind = EXPERIMENT_BOTH_CACHED;
        } else if (strcmp(words[i], "for") == 0 && number_of(next, 0.001, 1e7, &plan->seconds)) {
            i++;
        } else if (strcmp(words[i], "delay") == 0 && number_of(next, 0, 1e9, &number)) {
            plan->delay = (unsigned)number;
            i++;
        } else if (strcmp(words[i], "seed") == 0 && number_of(next, 1, 1e15, &number)) {
            plan->seed = (uint64_t)number;
            i++;
        } else {
            return "ab takes: SHARE [for SECONDS] [both-bare|both-cached] [delay NS] [seed N]";
        }
    }
    if (plan->delay && plan->kind == EXPERIMENT_AB)
        return "a delay goes with both-bare or both-cached only";
    return NULL;
}
