#include "ab_life.h"
#include "command.h"
#include "report_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* How a step of a life went on. */
enum step { FINE, FAILED, END };

struct living {
    struct ab_experiment *experiment;
    struct ab_options *options;
    const struct ab_server *server;
    int pair;
    enum ab_arm arm;
    struct child daemon;
    char *failed; /* why the rest of this life is void; to be freed */
};

static bool start_shell(struct living *living, struct child *child, enum ab_arm arm, char *command) {
    char *words[] = {"sh", "-c", command, NULL};
    struct child_plan plan = ab_plan(living->options, arm);
    plan.command = words;
    return child_start(child, &plan);
}

static enum step died(struct living *living, const char *when) {
    char *how = ab_failure(&living->daemon, NULL);
    bool left = !how; /* with exit status 0 */
    if (asprintf(&living->failed, "the daemon ended %s: %s", when,
                 left ? "exit status 0; if it goes into the background, keep it in the foreground" : how) < 0)
        living->failed = NULL;
    free(how);
    return FAILED;
}

static enum step out_of_time(struct living *living) {
    const char *said = last_lines(living->daemon.text, 3);
    int length = (int)strlen(said);
    while (length && said[length - 1] == '\n')
        length--;
    if (asprintf(&living->failed, "the daemon was not ready within %g s%s%.*s", living->server->timeout,
                 length ? "; its last lines:\n" : "", length, said) < 0)
        living->failed = NULL;
    return FAILED;
}

/* One try of the ready command: FAILED without a reason means "not yet". */
static enum step probe(struct living *living, double until) {
    struct child probe;
    if (!start_shell(living, &probe, WITHOUT, living->server->ready))
        return END;
    enum child_event event = child_wait(&probe, until - now_seconds());
    child_stop(&probe, 1);
    bool ready = event == CHILD_ENDED && probe.status == 0;
    child_free(&probe);
    if (event == CHILD_INTERRUPTED)
        return END;
    if (living->daemon.ended)
        return died(living, "before it was ready");
    return ready ? FINE : FAILED;
}

static enum step get_ready(struct living *living) {
    double until = now_seconds() + living->server->timeout;
    for (;;) {
        enum step step = probe(living, until);
        if (step != FAILED || living->failed)
            return step;
        enum child_event event = child_wait(NULL, fmin(0.1, until - now_seconds()));
        if (event == CHILD_INTERRUPTED)
            return END;
        if (living->daemon.ended)
            return died(living, "before it was ready");
        if (now_seconds() >= until)
            return out_of_time(living);
    }
}

/* The load with each %d replaced. To be freed. */
static char *load_command(const struct living *living, int depth) {
    const char *from = living->server->load;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    for (const char *hole; depth && (hole = strstr(from, "%d")); from = hole + 2)
        fprintf(to, "%.*s%d", (int)(hole - from), from, depth);
    fputs(from, to);
    return fclose(to) ? NULL : text;
}

static void take_values(struct living *living, const struct child *load, double cpu, struct ab_run *run) {
    double *value = run->values + living->options->metrics.count;
    run->failed = ab_failure(load, metrics_take(&living->options->metrics, load->text, run->values));
    double operations = living->server->iops ? run->values[living->server->iops - 1] * load->wall : 0;
    *value++ = load->wall;
    *value++ = living->server->iops ? cpu / operations * 1e6 : cpu;
}

static enum step load_once(struct living *living, int depth) {
    struct ab_run run = {.pair = living->pair, .arm = living->arm, .depth = depth};
    struct child load;
    char name[32] = "load", *command = load_command(living, living->experiment->depths[depth]);
    if (living->experiment->depths[depth])
        snprintf(name, sizeof name, "load, depth %d", living->experiment->depths[depth]);
    ab_progress(living->experiment, living->pair, living->arm, name);
    bool started = command && start_shell(living, &load, WITHOUT, command);
    free(command);
    if (!started)
        return END;
    double cpu = child_cpu(living->daemon.pid);
    enum child_event event = child_wait(&load, INFINITY);
    cpu = child_cpu(living->daemon.pid) - cpu;
    child_stop(&load, 2);
    enum step step = event == CHILD_INTERRUPTED ? END : FINE;
    if (step == FINE && living->daemon.ended)
        step = died(living, "under the load");
    if (step == FINE) {
        take_values(living, &load, cpu, &run);
        step = ab_add_run(living->experiment, &run) ? FINE : END;
    }
    child_free(&load);
    return step;
}

/* What this life could not measure has failed for one reason. */
static void fail_rest(struct living *living, int from) {
    for (int depth = from; living->failed && depth < living->experiment->depths_count; depth++) {
        struct ab_run run = {
            .pair = living->pair, .arm = living->arm, .depth = depth, .failed = strdup(living->failed)};
        ab_add_run(living->experiment, &run);
    }
    free(living->failed);
    living->failed = NULL;
}

static double seconds(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static bool has_library(pid_t pid, const char *library) {
    char path[64], line[PATH_MAX + 128];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, library);
    if (maps)
        fclose(maps);
    return found;
}

static void stop(struct living *living, struct ab_life *life, off_t report_before) {
    bool failed = living->daemon.ended, mapped = has_library(living->daemon.pid, living->options->library);
    double begin = now_seconds();
    life->killed = !child_stop(&living->daemon, living->server->grace) && !children_interrupted();
    life->stop = now_seconds() - begin;
    life->user = seconds(living->daemon.usage.ru_utime);
    life->system = seconds(living->daemon.usage.ru_stime);
    life->peak = (double)living->daemon.usage.ru_maxrss / 1024;
    if (living->arm == WITH && !failed && !children_interrupted()) {
        /* A daemon that was killed, or may not write here, has no report: then the mapping must do. */
        struct report report = report_read(living->options->report, report_before, living->daemon.pid);
        bool silent = !report.found && !report.others;
        living->experiment->preloaded++;
        living->experiment->acted += report.all.hits > 0 || (silent && mapped);
    }
}

bool ab_live(struct ab_experiment *experiment, struct ab_options *options, const struct ab_server *server, int pair,
             enum ab_arm arm) {
    struct living living = {.experiment = experiment, .options = options, .server = server, .pair = pair, .arm = arm};
    struct ab_life life = {.pair = pair, .arm = arm};
    off_t report_before = report_length(options->report);
    int depth = 0;
    ab_progress(experiment, pair, arm, "start");
    if (!start_shell(&living, &living.daemon, arm, server->daemon))
        return false;
    enum step step = get_ready(&living);
    life.ready = now_seconds() - living.daemon.started;
    while (step == FINE && depth < experiment->depths_count)
        step = load_once(&living, depth++);
    stop(&living, &life, report_before);
    fail_rest(&living, step == FAILED && depth ? depth - 1 : depth);
    child_free(&living.daemon);
    experiment->interrupted = children_interrupted() != 0;
    return ab_add_life(experiment, &life) && step != END && !experiment->interrupted;
}
