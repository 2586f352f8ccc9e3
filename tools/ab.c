/* `pk11cache ab`: experiments without and with the cache. */
#include "ab_verbs.h"
#include "command.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int, char **);
    const char *help;
} verbs[] = {
    {"live", command_ab_live, "a running process: each operation without or with the cache, at random"},
    {"run", command_ab_run, "a command, in pairs of runs without and with the preload"},
    {"daemon", command_ab_daemon, "a server under load, restarted without and with the preload"},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static void usage(FILE *to) {
    fputs("Usage: pk11cache ab VERB [ARGUMENT...]\n\nWhat does the cache give this program? An experiment answers.\n\n",
          to);
    for (int i = 0; i < VERBS; i++)
        fprintf(to, "  %-7s %s\n", verbs[i].name, verbs[i].help);
    fputs("\n`pk11cache ab VERB --help` tells more. Exit status: 0 a verdict was reached (\"no difference shown\" is\n"
          "one), 1 none, 2 bad usage.\n",
          to);
}

int command_ab(int argc, char **argv) {
    const char *verb = argc > 1 ? argv[1] : "";
    char name[32];
    if (!strcmp(verb, "--help") || !strcmp(verb, "-h") || !strcmp(verb, "help")) {
        usage(stdout);
        return 0;
    }
    for (int i = 0; i < VERBS; i++)
        if (!strcmp(verb, verbs[i].name)) {
            snprintf(name, sizeof name, "pk11cache ab %s", verb);
            argv[1] = name;
            return verbs[i].run(argc - 1, argv + 1);
        }
    if (*verb)
        complain("ab has no verb \"%s\"", verb);
    usage(stderr);
    return 2;
}
