/* `pk11cache check`: does a program use NSS contexts, and does the cache see its calls? */
#include "check.h"
#include "command.h"

#include <argp.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    const char *target, *library, *user;
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *given = state->input;
    switch (key) {
    case 'l':
        given->library = arg;
        break;
    case 'u':
        given->user = arg;
        break;
    case ARGP_KEY_ARG:
        if (given->target)
            argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        given->target = arg;
        break;
    case ARGP_KEY_END:
        if (!given->target || !*given->target)
            argp_failure(state, 2, 0, "which program or process is to be checked?");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static bool is_number(const char *text) {
    return text[strspn(text, "0123456789")] == 0;
}

/* False after a complaint. */
static bool find_user(const char *given, struct check_user *user) {
    *user = (struct check_user){"this user", getuid(), getgid()};
    if (!given)
        return true;
    const struct passwd *entry = is_number(given) ? getpwuid((uid_t)strtoul(given, NULL, 10)) : getpwnam(given);
    if (!entry) {
        complain("there is no user %s", given);
        return false;
    }
    *user = (struct check_user){given, entry->pw_uid, entry->pw_gid};
    return true;
}

static int check_pid(const char *text, const char *given_library) {
    char library[PATH_MAX];
    errno = 0;
    long pid = strtol(text, NULL, 10);
    if (errno || pid < 1 || pid > INT_MAX) {
        complain("there is no process %s", text);
        return CHECK_BAD;
    }
    return check_process((pid_t)pid, library_find(given_library, library) ? library : NULL);
}

int command_check(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"lib", 'l', "FILE", 0, "the library (default: the one that belongs to this command)", 0},
        {"user", 'u', "USER", 0, "who will start BINARY (default: you); for set-ID bits and file capabilities", 0},
        {0}};
    static const char help[] =
        "Say whether a program uses NSS contexts, by which of its objects, and whether the cache sees its calls or why "
        "not.\v"
        "BINARY is a program's file, or a name that is looked for in $PATH. Nothing of it is run: its own loader lists "
        "what it needs. PID is a running process; what plugins use, and where calls really lead, shows only there, to "
        "its user or root. A file whose name is a number is given with its path: ./123.\n\n"
        "The exit status is 0 when NSS contexts are used and the cache sees them (or would), 1 when not, and 2 when "
        "there is nothing to check: no such program or process, no permission, a wrong argument.";
    static const struct argp argp = {options, parse, "BINARY|PID", help, NULL, NULL, NULL};
    struct arguments given = {0};
    struct check_user user;
    char library[PATH_MAX];
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &given);
    if (!find_user(given.user, &user))
        return CHECK_BAD;
    if (is_number(given.target))
        return check_pid(given.target, given.library);
    if (!library_find(given.library, library))
        return CHECK_BAD;
    return library_try(library) ? check_file(given.target, &user, library) : CHECK_NO;
}
