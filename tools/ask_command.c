/* `pk11cache keys`, `sites`, `set`, `flush` and `reset`: one command for one process, and its answer. */
#include "command.h"
#include "demangle.h"
#include "socket.h"
#include "target.h"

#include <argp.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 3 };

struct arguments {
    int least, most;
    int count;
    const char *words[WORDS_MAX];
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *given = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (given->count == given->most)
            argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        given->words[given->count++] = arg;
        break;
    case ARGP_KEY_END:
        if (given->count < given->least)
            argp_failure(state, 2, 0, "an option and its value are wanted, such as: set ceph-osd engine off");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

#define TARGET_HELP                                                                                                    \
    "\vTARGET is a process's number or name, or its socket's path. Without it, the one process that has a socket."

static struct arguments read_arguments(int argc, char **argv, struct arguments given, const char *usage,
                                       const char *help) {
    const struct argp argp = {NULL, parse, usage, help, NULL, NULL, NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &given);
    return given;
}

/* The answer, to be freed; NULL after a complaint. */
static char *ask(const char *target, const char *command) {
    struct process process;
    return target_find_one(target, &process) ? socket_ask_one(&process, command) : NULL;
}

static int ask_and_print(const char *target, const char *command) {
    char *answer = ask(target, command);
    if (!answer)
        return 1;
    fputs(answer, stdout);
    free(answer);
    return 0;
}

static const char *only_target(int argc, char **argv, const char *help) {
    return read_arguments(argc, argv, (struct arguments){.most = 1}, "[TARGET]", help).words[0];
}

int command_keys(int argc, char **argv) {
    return ask_and_print(only_target(argc, argv, "List the cached keys of a process, by fingerprint." TARGET_HELP),
                         "show keys");
}

int command_flush(int argc, char **argv) {
    return ask_and_print(only_target(argc, argv, "Destroy every idle key and context of a process now." TARGET_HELP),
                         "flush");
}

int command_reset(int argc, char **argv) {
    return ask_and_print(only_target(argc, argv, "Let the counters of a process begin anew." TARGET_HELP), "reset");
}

int command_sites(int argc, char **argv) {
    char *answer =
        ask(only_target(argc, argv, "Show which code of a process builds contexts." TARGET_HELP), "show sites");
    if (!answer)
        return 1;
    demangle_print(answer, stdout);
    free(answer);
    return 0;
}

/* A blank or a semicolon would make other words, or another command, of it. */
static bool is_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c) || *c == ';')
            return false;
    return *text;
}

int command_set(int argc, char **argv) {
    struct arguments given =
        read_arguments(argc, argv, (struct arguments){.least = 2, .most = 3}, "[TARGET] OPTION VALUE",
                       "Change an option of a running process; `pk11cache options` lists them." TARGET_HELP);
    const char *target = given.count == 3 ? given.words[0] : NULL;
    const char *option = given.words[given.count - 2], *value = given.words[given.count - 1];
    char command[512];
    if (!is_word(option) || !is_word(value) || strlen(option) + strlen(value) + 8 > sizeof command) {
        complain("an option and its value are one word each");
        return 2;
    }
    snprintf(command, sizeof command, "set %s %s", option, value);
    return ask_and_print(target, command);
}
