/* ab.h - the model of `pk11cache ab run` and `ab daemon`: what was asked, what was measured, what it means.
 *
 * An experiment is pairs of turns, one without and one with the preload. In a turn of `run` the command runs once; in a
 * turn of `daemon` the load runs once for each depth against one life of the daemon. Each such run gives a value for
 * each figure. All of it belongs to the main thread. */
#ifndef PK11CACHE_AB_H
#define PK11CACHE_AB_H

#include "ab_metric.h"
#include "statistics.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum ab_arm { WITHOUT, WITH, AB_ARMS };
enum { FIGURES_MAX = METRICS_MAX + 6, DEPTHS_MAX = 32, PAIRS_MAX = 1000, WARM_UP = -1 };

struct ab_figure {
    char name[METRIC_NAME];
    char unit[8]; /* empty: a bare number */
    enum metric_sense sense;
};

struct ab_run {
    int pair; /* WARM_UP, or 0... */
    enum ab_arm arm;
    int depth;    /* index into the depths */
    char *failed; /* NULL, or why, in a sentence, with the last lines of the output */
    double values[FIGURES_MAX];
};

/* One life of the daemon. */
struct ab_life {
    int pair;
    enum ab_arm arm;
    double ready, stop;        /* seconds until ready, and to stop */
    double user, system, peak; /* s, s, MiB, of its whole life */
    bool killed;               /* SIGTERM did not do */
};

struct ab_experiment {
    const char *kind; /* "run" or "daemon" */
    char **command;   /* for the record: the command, or the daemon's three */
    const char *library;
    struct ab_figure figures[FIGURES_MAX]; /* the first is the one that the verdict rests on */
    int figures_count;
    int depths[DEPTHS_MAX], depths_count; /* without --depths: one, of value 0 */
    struct ab_run *runs;
    int runs_count;
    struct ab_life *lives;
    int lives_count;
    int pairs_wanted;
    uint64_t seed;
    struct random_source random;
    enum ab_arm first; /* of the pair that was begun last */
    bool interrupted;
    int preloaded, acted; /* turns with the preload; those in which the cache was seen to serve */
    double busy;          /* the share of the machine's CPU that others used meanwhile; NAN: unknown */
};

/* What the pairs of one figure at one depth say. */
struct ab_comparison {
    int pairs;
    double median[AB_ARMS];
    double confidence;                /* 0.95 for the verdict's figure, Bonferroni-corrected for the others */
    struct interval ratio, bootstrap; /* with / without */
    double p, shift;                  /* Mann-Whitney; Hodges-Lehmann, with - without */
};

/* ab_model.c: adding; false, after a complaint, without memory. `failed` becomes the experiment's. */
bool ab_add_run(struct ab_experiment *experiment, const struct ab_run *run);
bool ab_add_life(struct ab_experiment *experiment, const struct ab_life *life);
void ab_add_figure(struct ab_experiment *experiment, const char *name, const char *unit, enum metric_sense sense);
void ab_free(struct ab_experiment *experiment);

/* The arm that begins this pair: AB BA or BA AB, each two pairs drawn anew. To be asked once a pair, in order. */
enum ab_arm ab_first_arm(struct ab_experiment *experiment, int pair);

/* The values of a figure in pairs whose two runs succeeded: how many, at most PAIRS_MAX. */
int ab_pairs(const struct ab_experiment *experiment, int depth, int figure, double *without, double *with);
const struct ab_run *ab_find(const struct ab_experiment *experiment, int pair, enum ab_arm arm, int depth);

/* ab_analyse.c */
struct ab_comparison ab_compare(const struct ab_experiment *experiment, int depth, int figure);

/* The one ratio that the verdict rests on: of the first figure, in geometric mean over the depths of a pair. Its pairs
 * in *pairs. */
struct interval ab_verdict_ratio(const struct ab_experiment *experiment, int *pairs);

/* The verdict in one plain sentence. False when there are not two pairs to judge by; the sentence says so. */
bool ab_verdict(const struct ab_experiment *experiment, char *text, size_t size);

/* ab_warn.c: the closed list. A warning is a sentence of what was seen, and what to do. */
enum { WARNINGS_MAX = 16 };
struct ab_warning {
    const char *name;
    char text[2048];
    const char *advice;
};
int ab_warnings(const struct ab_experiment *experiment, struct ab_warning warnings[WARNINGS_MAX]);

/* Output; false, after a complaint, when it can't be written. */
void ab_run_table(const struct ab_experiment *experiment);
void ab_daemon_table(const struct ab_experiment *experiment);
bool ab_json(const struct ab_experiment *experiment, const char *file);
bool ab_plot(const struct ab_experiment *experiment, const char *file);

#endif
