/* ab_options.h - the options that `ab run` and `ab daemon` share, and what follows from them. */
#ifndef PK11CACHE_AB_OPTIONS_H
#define PK11CACHE_AB_OPTIONS_H

#include "ab.h"
#include "child.h"
#include "settings.h"

#include <argp.h>

enum { AB_SETTINGS_MAX = 64 };

struct ab_options {
    int pairs, warm_up;
    uint64_t seed;
    bool seeded;
    const char *json, *plot, *given_library;
    char *settings[AB_SETTINGS_MAX + 3]; /* for the preloaded arm: two of our own, and --set */
    int settings_count;
    struct metrics metrics;
    char library[PATH_MAX];
    char folder[PATH_MAX - 32], report[PATH_MAX], report_setting[PATH_MAX + 32];
    char *preload[AB_ARMS]; /* LD_PRELOAD */
};

/* An argp child whose input is a struct ab_options. */
extern const struct argp ab_options_argp;

/* After the parsing: find and try the library, see that the outputs can be written and that gnuplot is there, make the
 * folder of the report. False after a complaint; ab_options_end is due in any case. */
bool ab_options_begin(struct ab_options *options);
void ab_options_end(struct ab_options *options);

/* What a program of this arm is started with; its command is the caller's to set. */
struct child_plan ab_plan(struct ab_options *options, enum ab_arm arm);

/* The experiment that the options ask for; the metrics are its first figures. */
struct ab_experiment ab_experiment_of(const struct ab_options *options, const char *kind);

/* Why this run failed by its exit status or for want of a metric; NULL when it did not. The text is to be freed. */
char *ab_failure(const struct child *child, const char *missing);

/* One turn's place in the whole, for who waits. */
void ab_progress(const struct ab_experiment *experiment, int pair, enum ab_arm arm, const char *what);

/* How the machine was used: to be taken at the begin, and turned into `busy` at the end. */
struct ab_machine {
    double at;         /* CLOCK_MONOTONIC */
    double used, ours; /* seconds of CPU: of everybody; of this process and its ended children */
};
struct ab_machine ab_machine_now(void);
double ab_machine_busy(const struct ab_machine *begin);

/* Table, verdict, warnings, JSON, plot. The command's exit status. */
int ab_finish(struct ab_experiment *experiment, const struct ab_options *options);

#endif
