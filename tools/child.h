/* child.h - programs that an experiment starts, watches and ends: with their output, times and memory, and with the
 * promise that none of them, nor any of their descendants, is left behind.
 *
 * One thread uses this, between children_begin and children_end. Meanwhile SIGCHLD, and those of SIGINT, SIGTERM and
 * SIGHUP that are not ignored, are blocked and read here; orphaned descendants become children of this process. Each
 * child is in a process group of its own with nothing on its standard input, so that Ctrl-C reaches only us. */
#ifndef PK11CACHE_CHILD_H
#define PK11CACHE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { CHILD_OUTPUT = 1 << 20 }; /* so many last bytes of its output are kept */

struct child_plan {
    char **command;
    const char *preload;   /* LD_PRELOAD; NULL or empty: none */
    char *const *settings; /* NAME=VALUE..., NULL at the end; may be NULL; they stay the caller's */
};

struct child {
    pid_t pid; /* 0: not started */
    bool ended;
    int status;           /* as of waitpid */
    double started, wall; /* seconds, of CLOCK_MONOTONIC */
    struct rusage usage;  /* its own and that of the children it waited for */
    int output;           /* our end of the pipe on its standard output and error; -1 when closed */
    char *text;           /* what came through it, 0 at the end */
    size_t length;
};

enum child_event { CHILD_ENDED, CHILD_OTHER_ENDED, CHILD_TIME_OUT, CHILD_INTERRUPTED };

/* False, after a complaint, when the signals can't be taken. */
bool children_begin(void);

/* Ends what is left, at once, and gives the signals back. */
void children_end(void);

/* The signal that asked us to end, or 0. */
int children_interrupted(void);

/* False when there is no process or memory for it, after a complaint. A command that can't be executed ends with 127 or
 * 126, and its output says why. Every child that was started is to be stopped and freed. */
bool child_start(struct child *child, const struct child_plan *plan);

/* Read everybody's output until this child (NULL: none) ends, another one ends, the seconds are over, or a signal asks
 * us to end. */
enum child_event child_wait(struct child *awaited, double seconds);

/* SIGTERM to what is left of it and of its descendants (it may have ended itself), SIGKILL after `grace` seconds or at
 * a further signal to us. False when something had to be killed. Orphans count as its own, unless another
 * child lives, to which they are left. */
bool child_stop(struct child *child, double grace);
void child_free(struct child *child);

/* Seconds of CPU that the process and its living descendants have used; those are not counted that ended. */
double child_cpu(pid_t pid);

/* The last lines of a text, at most `lines` of them. */
const char *last_lines(const char *text, int lines);

/* Seconds of CLOCK_MONOTONIC. */
double now_seconds(void);

#endif
