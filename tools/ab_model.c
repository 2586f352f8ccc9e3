#include "ab.h"
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ab_add_run(struct ab_experiment *experiment, const struct ab_run *run) {
    size_t count = (size_t)experiment->runs_count;
    struct ab_run *runs = reallocarray(experiment->runs, count + 1, sizeof *runs);
    if (!runs) {
        complain("no memory for the results");
        return false;
    }
    experiment->runs = runs;
    runs[experiment->runs_count++] = *run;
    return true;
}

bool ab_add_life(struct ab_experiment *experiment, const struct ab_life *life) {
    size_t count = (size_t)experiment->lives_count;
    struct ab_life *lives = reallocarray(experiment->lives, count + 1, sizeof *lives);
    if (!lives) {
        complain("no memory for the results");
        return false;
    }
    experiment->lives = lives;
    lives[experiment->lives_count++] = *life;
    return true;
}

void ab_add_figure(struct ab_experiment *experiment, const char *name, const char *unit, enum metric_sense sense) {
    if (experiment->figures_count == FIGURES_MAX)
        return;
    struct ab_figure *figure = &experiment->figures[experiment->figures_count++];
    figure->sense = sense;
    snprintf(figure->name, sizeof figure->name, "%s", name);
    snprintf(figure->unit, sizeof figure->unit, "%s", unit);
}

void ab_free(struct ab_experiment *experiment) {
    for (int i = 0; i < experiment->runs_count; i++)
        free(experiment->runs[i].failed);
    free(experiment->runs);
    free(experiment->lives);
    experiment->runs = NULL;
    experiment->lives = NULL;
    experiment->runs_count = experiment->lives_count = 0;
}

/* The second pair of two mirrors the first, so that a steady drift of the machine falls on both arms alike. */
enum ab_arm ab_first_arm(struct ab_experiment *experiment, int pair) {
    enum ab_arm other = experiment->first == WITH ? WITHOUT : WITH;
    experiment->first = pair % 2 == 0 ? (enum ab_arm)random_below(&experiment->random, 2) : other;
    return experiment->first;
}

const struct ab_run *ab_find(const struct ab_experiment *experiment, int pair, enum ab_arm arm, int depth) {
    for (int i = 0; i < experiment->runs_count; i++) {
        const struct ab_run *run = &experiment->runs[i];
        if (run->pair == pair && run->arm == arm && run->depth == depth && !run->failed)
            return run;
    }
    return NULL;
}

int ab_pairs(const struct ab_experiment *experiment, int depth, int figure, double *without, double *with) {
    int count = 0;
    for (int pair = 0; pair < experiment->pairs_wanted && count < PAIRS_MAX; pair++) {
        const struct ab_run *a = ab_find(experiment, pair, WITHOUT, depth);
        const struct ab_run *b = ab_find(experiment, pair, WITH, depth);
        if (!a || !b || isnan(a->values[figure]) || isnan(b->values[figure]))
            continue;
        without[count] = a->values[figure];
        with[count++] = b->values[figure];
    }
    return count;
}
