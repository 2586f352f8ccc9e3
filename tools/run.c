/* `pk11cache run`: start a program with the cache, and prove that it acts. */
#include "run.h"
#include "command.h"
#include "report_file.h"
#include "settings.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_ACTING = 3 };

static struct run run;
static const char *given_library, *given_report;

/* The report's place and the children are also ours to know; the rest is for the library alone. */
static void set(struct argp_state *state, char *setting) {
    const char *problem = setting_problem(setting);
    if (problem)
        argp_failure(state, 2, 0, "--set %s: %s; see `pk11cache options`", setting, problem);
    if (!strncmp(setting, "PK11CACHE_REPORT=", 17))
        given_report = setting + 17;
    else if (!strncmp(setting, "PK11CACHE_CHILDREN=", 19))
        run.children = !strcmp(setting + 19, "yes");
    else if (run.settings_count < SETTINGS_MAX)
        run.settings[run.settings_count++] = setting;
    else
        argp_failure(state, 2, 0, "more than %d times --set", SETTINGS_MAX);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    static char engine[64], verbose[] = "PK11CACHE_VERBOSE=1";
    switch (key) {
    case 'l':
        given_library = arg;
        break;
    case 'r':
        given_report = arg;
        break;
    case 'c':
        run.children = true;
        break;
    case 'q':
        run.quiet = true;
        break;
    case 's':
        set(state, arg);
        break;
    case 'e':
        if (strcmp(arg, "stream") && strcmp(arg, "reset") && strcmp(arg, "off"))
            argp_failure(state, 2, 0, "--engine is stream, reset or off, not \"%s\"", arg);
        snprintf(engine, sizeof engine, "PK11CACHE_ENGINE=%s", arg);
        set(state, engine);
        break;
    case 'v':
        set(state, verbose);
        break;
    case ARGP_KEY_ARGS:
        run.command = state->argv + state->next;
        break;
    case ARGP_KEY_NO_ARGS:
        argp_failure(state, 2, 0, "which command is to be run?");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* The program may change its folder: the name is made absolute. */
static bool place_report(const char *given) {
    char here[PATH_MAX] = "";
    if (*given != '/' && !getcwd(here, sizeof here))
        return false;
    int n = snprintf(run.report, sizeof run.report, "%s%s%s", here, *given == '/' ? "" : "/", given);
    return n > 0 && (size_t)n < sizeof run.report;
}

/* As the command left: its exit status, or the signal that ended it (without a second core file). */
static int leave_as_command(int status) {
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    sigset_t this_one;
    sigemptyset(&this_one);
    sigaddset(&this_one, WTERMSIG(status));
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &this_one, NULL);
    return 128 + WTERMSIG(status);
}

static int run_and_judge(int *status) {
    struct run_end end;
    off_t before = report_length(run.report);
    *status = 0;
    if (!run_to_the_end(&run, &end)) {
        complain("the command can't be started: %s", strerror(errno));
        return 1;
    }
    *status = end.status;
    return run_verdict(&run, &end, before);
}

static int run_with_own_report(int *status) {
    const char *parent = getenv("TMPDIR");
    char folder[PATH_MAX - 16];
    snprintf(folder, sizeof folder, "%s/pk11cache.XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    *status = 0;
    if (!mkdtemp(folder)) {
        complain("no temporary folder %s: %s", folder, strerror(errno));
        return 1;
    }
    snprintf(run.report, sizeof run.report, "%s/report", folder);
    int own = run_and_judge(status);
    unlink(run.report);
    rmdir(folder);
    return own;
}

int command_run(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"lib", 'l', "FILE", 0, "the library (default: the one that belongs to this command)", 0},
        {"engine", 'e', "stream|reset|off", 0, "PK11CACHE_ENGINE", 0},
        {"set", 's', "NAME=VALUE", 0, "any PK11CACHE_ variable; see `pk11cache options`", 0},
        {"report", 'r', "FILE", 0, "append the counters to this file at exit; %p is the pid", 0},
        {"children", 'c', NULL, 0, "programs that the command starts get the cache too", 0},
        {"quiet", 'q', NULL, 0, "no summary at the end", 0},
        {"verbose", 'v', NULL, 0, "the library prints its settings", 0},
        {0}};
    static const struct argp argp = {arguments,
                                     parse,
                                     "[--] COMMAND [ARGUMENT...]",
                                     "Start COMMAND with the cache of NSS contexts preloaded.\v"
                                     "The exit status is the command's; 3 when it succeeded but the cache did not act.",
                                     NULL,
                                     NULL,
                                     NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
    signal(SIGCHLD, SIG_DFL); /* ignored by the one who started us, waitpid would find nobody */
    if (!library_find(given_library, run.library) || !library_try(run.library))
        return NOT_ACTING;
    const char *report = given_report ? given_report : getenv("PK11CACHE_REPORT");
    int status = 0, own;
    if (report && *report && !place_report(report)) {
        complain("the report's name is too long: %s", report);
        return 1;
    }
    own = *run.report ? run_and_judge(&status) : run_with_own_report(&status);
    return status == 0 ? own : leave_as_command(status);
}
