/* The end of an experiment: everything that is said about it. */
#include "ab_options.h"
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sentences go to stderr when standard output is for the JSON. */
static void say(FILE *to, const struct ab_experiment *experiment, const char *sentence) {
    struct ab_warning warnings[WARNINGS_MAX];
    int count = ab_warnings(experiment, warnings);
    for (int i = 0; i < count; i++)
        fprintf(to, "%sWarning, %s: %s%s\n  Advice: %s.\n", i ? "" : "\n", warnings[i].name, warnings[i].text,
                strchr(warnings[i].text, '\n') ? "" : ".", warnings[i].advice);
    if (experiment->interrupted)
        fputs("\nIt was ended early.\n", to);
    fprintf(to, "\n%s\n", sentence);
}

static bool has_pairs(const struct ab_experiment *experiment) {
    double without[PAIRS_MAX], with[PAIRS_MAX];
    int pairs = 0;
    for (int depth = 0; depth < experiment->depths_count; depth++)
        pairs += ab_pairs(experiment, depth, 0, without, with);
    return pairs > 0;
}

int ab_finish(struct ab_experiment *experiment, const struct ab_options *options) {
    char sentence[512];
    bool to_stdout = options->json && !strcmp(options->json, "-");
    bool reached = ab_verdict(experiment, sentence, sizeof sentence), written = true;
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!to_stdout && has_pairs(experiment))
        strcmp(experiment->kind, "run") ? ab_daemon_table(experiment) : ab_run_table(experiment);
    say(to_stdout ? stderr : stdout, experiment, sentence);
    fflush(stdout);
    if (options->json)
        written = ab_json(experiment, options->json);
    if (options->plot && reached)
        written = ab_plot(experiment, options->plot) && written;
    else if (options->plot)
        complain("there is nothing to plot");
    return reached && written ? 0 : 1;
}
