/* Did the cache act? What the report and the maps say of one run. */
#include "command.h"
#include "report_file.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ACTED = 0, NOT_ACTING = 3 };

void run_report_name(const struct run *run, pid_t pid, char name[PATH_MAX]) {
    size_t used = 0;
    for (const char *c = run->report; *c && used + 12 < PATH_MAX; c++) {
        if (c[0] == '%' && c[1] == 'p') {
            used += (size_t)snprintf(name + used, PATH_MAX - used, "%d", (int)pid);
            c++;
        } else {
            name[used++] = *c;
        }
    }
    name[used] = 0;
}

/* The setting as the program got it. */
static const char *only(const struct run *run) {
    const char *value = getenv("PK11CACHE_ONLY");
    for (int i = 0; i < run->settings_count; i++)
        if (!strncmp(run->settings[i], "PK11CACHE_ONLY=", 15))
            value = run->settings[i] + 15;
    return value ? value : "";
}

/* What may help when the program itself made no calls. */
static void hint(const struct run *run, bool has_report) {
    if (*only(run))
        complain("PK11CACHE_ONLY limits the cache to: %s", only(run));
    else if (run->children && strstr(run->report, "%p"))
        complain("each process has a file of its own: %s", run->report);
    else if (!run->children)
        complain(
            "if it starts the real program as a child or by exec, add --children; if it goes into the background, keep "
            "it in the foreground");
    else if (has_report)
        complain("a process that is still running has not written its report yet");
}

static int without_report(const struct run *run, const struct run_end *end) {
    if (end->saw_nss_alone)
        complain("it ran another program by exec, which uses NSS and has no cache");
    else if (!end->saw_library)
        complain("the cache was not loaded into %s: %s", run->command[0], run_why_not_loaded(run->command[0]));
    else
        complain("the cache was loaded%s, but there is no report: the program was killed, or ended by _exit or exec",
                 end->saw_nss ? ", NSS too" : "");
    bool loaded_in_vain = end->saw_library && !end->saw_nss;
    if (loaded_in_vain || end->saw_nss_alone || *only(run))
        hint(run, false);
    return NOT_ACTING;
}

static int without_calls(const struct run *run, const struct run_end *end, const struct report *r) {
    const char *detail = "libnss3 was not in it";
    if (r->nss)
        detail = "it used NSS, but none of the calls that the cache serves";
    else if (end->saw_nss)
        detail = "libnss3 was in it, but no call came by; one that is loaded with RTLD_DEEPBIND can't be reached";
    complain("the cache was loaded, but saw no NSS calls in this process: %s", detail);
    hint(run, true);
    return NOT_ACTING;
}

static void summary(const struct run *run, const struct report *r) {
    const struct report_counts *c = r->others_calling ? &r->all : &r->own;
    int processes = r->others_calling + (r->own.calls != 0);
    char where[64] = "";
    if (processes > 1)
        snprintf(where, sizeof where, " in %d processes", processes);
    else if (r->others_calling)
        snprintf(where, sizeof where, " in a child process");
    if (run->quiet)
        return;
    complain("%llu NSS calls%s, %.2f %% served from the cache (%llu misses, %llu bypasses), NSS %s", c->calls, where,
             100.0 * (double)c->hits / (double)c->calls, c->misses, c->bypasses, r->nss_version);
    complain("what it gives on this machine: pk11cache bench --quick");
}

int run_verdict(const struct run *run, const struct run_end *end, off_t report_offset) {
    char name[PATH_MAX];
    run_report_name(run, end->pid, name);
    struct report r = report_read(name, report_offset, end->pid);
    bool never_ran = WIFEXITED(end->status) && (WEXITSTATUS(end->status) == 126 || WEXITSTATUS(end->status) == 127);
    if (never_ran && !r.found && !r.others)
        return ACTED; /* nothing to judge; the reason was told */
    if (r.all.calls) {
        summary(run, &r);
        return ACTED;
    }
    return r.found ? without_calls(run, end, &r) : without_report(run, end);
}
