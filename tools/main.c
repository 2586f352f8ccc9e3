#include "command.h"

#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(int, char **);
    const char *help;
} commands[] = {
    {"run", command_run, "start a program with the cache, and show what the cache did for it"},
    {"check", command_check, "say whether a program uses NSS contexts and the cache can serve them, or why not"},
    {"stat", command_stat, "show what the cache does in running processes"},
    {"top", command_top, "the same, live in the terminal"},
    {"keys", command_keys, "list the cached keys of a process, by fingerprint"},
    {"sites", command_sites, "show which code of a process builds contexts"},
    {"set", command_set, "change an option of a running process"},
    {"flush", command_flush, "destroy the idle keys and contexts of a process"},
    {"reset", command_reset, "let the counters of a process begin anew"},
    {"metrics", command_metrics, "all processes' counters for Prometheus"},
    {"bench", command_bench, "time the daemons' call sequences without and with the cache"},
    {"ab", command_ab, "what the cache gives a command or a daemon: pairs of runs without and with it"},
    {"options", command_options, "list the environment variables that steer the library"},
    {"counters", command_counters, "list everything that the library counts"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("pk11cache: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

const char *command_folder(void) {
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return dirname(path);
}

static void usage(FILE *to) {
    fputs("Usage: pk11cache COMMAND [ARGUMENT...]\n\nA cache of NSS crypto contexts for unmodified programs.\n\n", to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
    fputs("\n`pk11cache COMMAND --help` tells more. Exit status: 0 fine, 1 failed, 2 bad usage;\n"
          "of `run` the program's own, or 3 when the cache did not act.\n",
          to);
}

/* argp names the program in its messages by argv[0]. */
static int run_command(int which, int argc, char **argv) {
    char name[32];
    snprintf(name, sizeof name, "pk11cache %s", commands[which].name);
    argv[0] = name;
    return commands[which].run(argc, argv);
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        usage(stdout);
        return 0;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        puts("pk11cache " PK11CACHE_VERSION);
        return 0;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return run_command(i, argc - 1, argv + 1);
    if (*name)
        complain("there is no command \"%s\"", name);
    usage(stderr);
    return 2;
}
