/* `pk11cache run`: start a program with the cache, and prove that it acts. */
#include "command.h"
#include "report_file.h"

#include <argp.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_ACTING = 3, SETTINGS_MAX = 64 };

static struct {
    const char *library, *report;
    bool children, quiet;
    const char *settings[SETTINGS_MAX];
    int settings_count;
    char **command;
} option;

static volatile sig_atomic_t child_pid;
static bool seen_loaded, seen_nss; /* in /proc/PID/maps while it ran */

static void set(struct argp_state *state, const char *setting) {
    if (!strchr(setting, '=') || strncmp(setting, "PK11CACHE_", 10))
        argp_failure(state, 2, 0, "--set takes PK11CACHE_NAME=VALUE, not \"%s\"; see `pk11cache options`", setting);
    if (option.settings_count == SETTINGS_MAX)
        argp_failure(state, 2, 0, "more than %d times --set", SETTINGS_MAX);
    option.settings[option.settings_count++] = setting;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    static char engine[64];
    switch (key) {
    case 'l': option.library = arg; break;
    case 'r': option.report = arg; break;
    case 'c': option.children = true; break;
    case 'q': option.quiet = true; break;
    case 's': set(state, arg); break;
    case 'e':
        if (strcmp(arg, "stream") && strcmp(arg, "reset") && strcmp(arg, "off"))
            argp_failure(state, 2, 0, "--engine is stream, reset or off, not \"%s\"", arg);
        snprintf(engine, sizeof engine, "PK11CACHE_ENGINE=%s", arg);
        set(state, engine);
        break;
    case 'v': set(state, "PK11CACHE_VERBOSE=1"); break;
    case ARGP_KEY_ARGS: option.command = state->argv + state->next; break;
    case ARGP_KEY_NO_ARGS: argp_failure(state, 2, 0, "which command is to be run?"); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void pass_on(int signal) {
    if (child_pid > 0)
        kill((pid_t)child_pid, signal);
}

static void pass_signals_on(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH, SIGCONT, SIGALRM};
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* What is mapped into the child now. Polled, since a file that says it afterwards may be missing: a killed process writes none. */
static void look_at_maps(pid_t pid) {
    char path[64], line[PATH_MAX + 128];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        seen_loaded = seen_loaded || strstr(line, "/libpk11cache.so");
        seen_nss = seen_nss || strstr(line, "/libnss3.so");
    }
    if (maps)
        fclose(maps);
}

static pid_t start(const char *preload, const char *report) {
    pid_t child = fork();
    if (child != 0)
        return child;
    setenv("LD_PRELOAD", preload, 1);
    setenv("PK11CACHE_REPORT", report, 1);
    setenv("PK11CACHE_CHILDREN", option.children ? "yes" : "no", 1);
    for (int i = 0; i < option.settings_count; i++)
        putenv((char *)option.settings[i]);
    execvp(option.command[0], option.command);
    int status = errno == ENOENT ? 127 : 126;
    complain("%s: %s", option.command[0], strerror(errno));
    _exit(status);
}

static int wait_for(pid_t child) {
    int status = 0;
    for (long pause = 1000000;; pause = pause < 200000000 ? pause * 2 : pause) {
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child)
            return status;
        if (done < 0 && errno != EINTR)
            return -1;
        if (!seen_loaded || !seen_nss)
            look_at_maps(child);
        if (seen_loaded && seen_nss) {
            while (waitpid(child, &status, 0) < 0 && errno == EINTR)
                ;
            return status;
        }
        nanosleep(&(struct timespec){pause / 1000000000, pause % 1000000000}, NULL);
    }
}

static bool find_program(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/'))
        return realpath(name, path);
    const char *list = getenv("PATH");
    for (; list && *list; list += strcspn(list, ":") + (list[strcspn(list, ":")] != 0)) {
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)strcspn(list, ":"), list, name);
        if (access(candidate, X_OK) == 0)
            return realpath(candidate, path);
    }
    return false;
}

static const char *why_not_loaded(const char *name) {
    char path[PATH_MAX];
    struct stat status;
    unsigned char head[20] = {0};
    if (!find_program(name, path) || stat(path, &status))
        return "the program could not be looked at";
    if (status.st_mode & (S_ISUID | S_ISGID))
        return "it is set-user-ID or set-group-ID, and the loader then ignores LD_PRELOAD";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0)
        close(fd);
    if (n >= 2 && head[0] == '#' && head[1] == '!')
        return "it is a script: its interpreter was preloaded, and what it starts is only with --children";
    if (n < 4 || memcmp(head, ELFMAG, 4))
        return "it is no ELF program";
    if (head[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program";
    return "it wrote no report: it is statically linked, has file capabilities, was killed, or ended by _exit";
}

/* What to tell, and the status to leave with when the command itself succeeded. */
static int verdict(const struct report *r, bool other_processes) {
    if (!r->found && !seen_loaded) {
        complain("the cache was not loaded: %s", why_not_loaded(option.command[0]));
        return NOT_ACTING;
    }
    if (!r->found) {
        complain("the cache was loaded%s; there is no report, since the program was killed or ended by _exit%s",
                 seen_nss ? ", NSS too" : ", NSS was not",
                 seen_nss || option.children ? "" : "; if it starts the real program as a child, add --children");
        return seen_nss ? 0 : NOT_ACTING;
    }
    if (!r->calls) {
        complain("the cache was loaded, but this process made no NSS calls that it serves%s%s",
                 !strcmp(r->nss, "-") ? " (libnss3 was not in it)" : "",
                 other_processes || option.children ? "" : "; if it starts the real program as a child, add --children");
        return NOT_ACTING;
    }
    if (!option.quiet) {
        fprintf(stderr, "pk11cache: %llu NSS calls, %.2f %% served from the cache (%llu misses, %llu bypasses), NSS %s\n",
                r->calls, 100.0 * (double)r->hits / (double)r->calls, r->misses, r->bypasses, r->nss);
        fprintf(stderr, "pk11cache: what it gives on this machine: pk11cache bench --quick\n");
    }
    return 0;
}

static int leave_as_child(int status) {
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

/* Run it to its end. *status is what waitpid said; the result is the verdict on the cache. */
static int run_with(const char *library, const char *report, int *status) {
    char *preload = library_preload_list(library, getenv("LD_PRELOAD"));
    pass_signals_on();
    pid_t child = preload ? start(preload, report) : -1;
    *status = 0;
    if (child < 0) {
        complain("the command can't be started: %s", strerror(errno));
        return 1;
    }
    child_pid = child;
    *status = wait_for(child);
    free(preload);
    struct report r = report_read(report, child);
    bool never_ran = WIFEXITED(*status) && (WEXITSTATUS(*status) == 126 || WEXITSTATUS(*status) == 127);
    return never_ran && !r.found ? 0 : verdict(&r, r.processes > 1);
}

int command_run(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"lib", 'l', "FILE", 0, "the library (default: the one that belongs to this command)", 0},
        {"engine", 'e', "stream|reset|off", 0, "PK11CACHE_ENGINE", 0},
        {"set", 's', "NAME=VALUE", 0, "any PK11CACHE_ variable; see `pk11cache options`", 0},
        {"report", 'r', "FILE", 0, "append the counters to this file at exit", 0},
        {"children", 'c', NULL, 0, "programs that the command starts get the cache too", 0},
        {"quiet", 'q', NULL, 0, "no summary at the end", 0},
        {"verbose", 'v', NULL, 0, "the library prints its settings", 0},
        {0}};
    static const struct argp argp = {arguments, parse, "[--] COMMAND [ARGUMENT...]",
                                     "Start COMMAND with the cache of NSS contexts preloaded.\v"
                                     "The exit status is the command's; 3 when it succeeded but the cache did not act.",
                                     NULL, NULL, NULL};
    char library[PATH_MAX], folder[] = "/tmp/pk11cache.XXXXXX", file[sizeof folder + 8];
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
    if (!library_find(option.library, library) || !library_try(library))
        return NOT_ACTING;
    int status, own;
    if (option.report) {
        own = run_with(library, option.report, &status);
        return status == 0 ? own : leave_as_child(status);
    }
    if (!mkdtemp(folder)) {
        complain("no temporary folder: %s", strerror(errno));
        return 1;
    }
    snprintf(file, sizeof file, "%s/report", folder);
    own = run_with(library, file, &status);
    unlink(file);
    rmdir(folder);
    return status == 0 ? own : leave_as_child(status);
}
