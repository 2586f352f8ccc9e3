/* `pk11cache metrics`: the counters of all processes for Prometheus, to stdout or for node_exporter's textfile
 * collector. */
#include "metrics.h"
#include "command.h"
#include "socket.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char file_name[] = "pk11cache.prom";

static bool has_ended(const struct process *process) {
    return process->pid && process_look(process->pid).state == PROCESS_GONE;
}

struct metrics_tally metrics_collect(const struct targets *targets, struct exposition *exposition) {
    struct ask *asks = calloc(targets->count + 1, sizeof *asks);
    struct metrics_tally tally = {0};
    if (!asks) {
        complain("no memory");
        tally.silent = targets->count;
        return tally;
    }
    for (size_t i = 0; i < targets->count; i++)
        asks[i].process = &targets->items[i];
    socket_ask(asks, targets->count, "show metrics", ASK_MS);
    for (size_t i = 0; i < targets->count; i++) {
        if (asks[i].answer) {
            exposition_add(exposition, asks[i].answer, asks[i].process->pid ? asks[i].process->pid : asks[i].peer);
            tally.answered++;
        } else if (!has_ended(asks[i].process)) {
            complain("%s", asks[i].problem);
            tally.silent++;
        }
        ask_free(&asks[i]);
    }
    free(asks);
    return tally;
}

/* node_exporter must never read half a file, and reads whatever ends in .prom. It runs as another user. */
static bool write_aside_and_rename(const struct exposition *exposition, const char *directory) {
    char path[PATH_MAX], aside[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", directory, file_name);
    int m = snprintf(aside, sizeof aside, "%s/.%s.XXXXXX", directory, file_name);
    if (n >= (int)sizeof path || m >= (int)sizeof aside) {
        complain("the folder's name is too long: %s", directory);
        return false;
    }
    int fd = mkostemp(aside, O_CLOEXEC);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool fine = to && fchmod(fd, 0644) == 0 && exposition_write(exposition, to);
    int error = errno;
    if (to && fclose(to) != 0 && fine) {
        error = errno;
        fine = false;
    }
    if (fine && rename(aside, path) == 0)
        return true;
    error = fine ? errno : error;
    if (fd >= 0)
        unlink(aside);
    complain("%s can't be written: %s; name a folder that exists and is writable", path, strerror(error));
    return false;
}

struct arguments {
    const char *folder, *target;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *given = state->input;
    switch (key) {
    case 't':
        given->folder = arg;
        break;
    case ARGP_KEY_ARG:
        if (given->target)
            argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        given->target = arg;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* That there is no process is a fact to be told too: without a new file the old values would stay for ever. */
int command_metrics(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"textfile", 't', "DIR", 0, "write DIR/pk11cache.prom, for node_exporter's textfile collector", 0}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "[TARGET]",
                                     "Print the counters of all processes as one Prometheus text.\v"
                                     "TARGET (a process's number or name, or its socket's path) restricts it to some. "
                                     "The exit status is 1 when one of them did not answer.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct arguments given = {0};
    struct exposition exposition = {0};
    struct targets targets;
    char why[WHY_SIZE];
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &given);
    if (!targets_find(given.target, &targets, why)) {
        complain("%s", why);
        return 1;
    }
    struct metrics_tally tally = metrics_collect(&targets, &exposition);
    exposition_add_gauge(&exposition, "pk11cache_processes", "processes whose stats socket answered",
                         (double)tally.answered);
    exposition_add_gauge(&exposition, "pk11cache_processes_silent", "processes whose stats socket did not answer",
                         (double)tally.silent);
    bool written =
        given.folder ? write_aside_and_rename(&exposition, given.folder) : exposition_write(&exposition, stdout);
    if (!written && !given.folder)
        complain("the text can't be written: %s", strerror(errno));
    targets_free(&targets);
    exposition_free(&exposition);
    return written && !tally.silent ? 0 : 1;
}
