/* run.h - the parts of `pk11cache run`: one process is started, watched to its end, and judged. */
#ifndef PK11CACHE_RUN_H
#define PK11CACHE_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum { SETTINGS_MAX = 64 };

struct run {
    char library[PATH_MAX];
    char report[PATH_MAX]; /* absolute; %p stands for the pid */
    bool children, quiet;
    const char *settings[SETTINGS_MAX + 1];
    int settings_count;
    char **command;
};

/* How it went: what waitpid said, and what was mapped into the process while it ran. */
struct run_end {
    pid_t pid;
    int status;
    bool saw_library, saw_nss; /* NSS beside the library */
    bool saw_nss_alone;        /* after an exec that lost the library */
};

/* Start it and wait for its end, passing signals on. False when it can't be started; `errno` says why. */
bool run_to_the_end(const struct run *run, struct run_end *end);

/* Judge by the report whether the cache acted, and tell on stderr. `report_offset` is where this run's part of the file
 * begins. The result is 0, or 3 when the cache did not act. */
int run_verdict(const struct run *run, const struct run_end *end, off_t report_offset);

/* Why the library is not in the process of this program: a clause. */
const char *run_why_not_loaded(const char *program);

/* The report's file name, with %p replaced. */
void run_report_name(const struct run *run, pid_t pid, char name[PATH_MAX]);

#endif
