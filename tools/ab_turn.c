/* What a turn of either kind needs: its environment, its place in the order, how it failed, how busy the machine was.
 */
#include "ab_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child_plan ab_plan(struct ab_options *options, enum ab_arm arm) {
    return (struct child_plan){.preload = options->preload[arm], .settings = arm == WITH ? options->settings : NULL};
}

struct ab_experiment ab_experiment_of(const struct ab_options *options, const char *kind) {
    struct ab_experiment experiment = {.kind = kind, .library = options->library, .busy = NAN, .depths_count = 1};
    experiment.pairs_wanted = options->pairs;
    experiment.seed = options->seeded ? options->seed : random_seed() >> 11; /* JSON readers know 53 bits */
    experiment.random.state = experiment.seed;
    for (int i = 0; i < options->metrics.count; i++) {
        const struct metric *metric = &options->metrics.list[i];
        ab_add_figure(&experiment, metric->name, metric->unit, metric->sense);
    }
    return experiment;
}

static char *with_output(const char *what, const char *output) {
    const char *last = last_lines(output, 3);
    char *text = NULL;
    int length = (int)strlen(last);
    while (length && last[length - 1] == '\n')
        length--;
    bool said = length > 0;
    if (asprintf(&text, said ? "%s; its last lines:\n%.*s" : "%s; it printed nothing", what, length, last) < 0)
        return NULL;
    return text;
}

char *ab_failure(const struct child *child, const char *missing) {
    char what[128];
    if (WIFSIGNALED(child->status))
        snprintf(what, sizeof what, "killed by signal %d (%s)", WTERMSIG(child->status),
                 strsignal(WTERMSIG(child->status)));
    else if (WEXITSTATUS(child->status))
        snprintf(what, sizeof what, "exit status %d", WEXITSTATUS(child->status));
    else if (missing)
        snprintf(what, sizeof what, "no %s in its output", missing);
    else
        return NULL;
    return with_output(what, child->text);
}

void ab_progress(const struct ab_experiment *experiment, int pair, enum ab_arm arm, const char *what) {
    bool terminal = isatty(STDERR_FILENO);
    char place[64] = "warm-up";
    if (pair != WARM_UP)
        snprintf(place, sizeof place, "pair %d of %d", pair + 1, experiment->pairs_wanted);
    fprintf(stderr, "%s%s, %s the preload%s%s%s", terminal ? "\r" : "", place, arm == WITH ? "with" : "without",
            *what ? ": " : "", what, terminal ? "\033[K" : "\n");
}

/* The first line of /proc/stat: the CPUs' ticks as user, nice, system, idle, iowait, irq, softirq, steal. */
struct ab_machine ab_machine_now(void) {
    struct ab_machine now = {.at = now_seconds()};
    struct rusage self, children;
    double t[8] = {0};
    FILE *stat = fopen("/proc/stat", "re");
    int n =
        stat ? fscanf(stat, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3, t + 4, t + 5, t + 6, t + 7)
             : 0;
    if (stat)
        fclose(stat);
    double ticks = n == 8 ? (double)sysconf(_SC_CLK_TCK) : NAN;
    now.used = (t[0] + t[1] + t[2] + t[7]) / ticks;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval *times[] = {&self.ru_utime, &self.ru_stime, &children.ru_utime, &children.ru_stime};
    for (int i = 0; i < 4; i++)
        now.ours += (double)times[i]->tv_sec + (double)times[i]->tv_usec * 1e-6;
    return now;
}

/* What others used is told in ticks of 10 ms; under a second that says nothing. */
double ab_machine_busy(const struct ab_machine *begin) {
    struct ab_machine end = ab_machine_now();
    double whole = (end.at - begin->at) * (double)sysconf(_SC_NPROCESSORS_ONLN);
    return end.at - begin->at < 1 ? NAN : (end.used - begin->used - (end.ours - begin->ours)) / whole;
}
