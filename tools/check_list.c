/* What a program's own loader would load for it: `ld.so --list PROGRAM`, which runs nothing of the program. */
#include "check.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, OUTPUT_MAX = 1 << 20 };

/* It is about to run with our rights: a program may name any file as its loader. */
static bool is_trusted(const char *loader, char *why, size_t size) {
    struct stat status;
    if (stat(loader, &status)) {
        snprintf(why, size, "its loader %s: %s", loader, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode) || (status.st_uid != 0 && status.st_uid != geteuid()) ||
        (status.st_mode & (S_IWGRP | S_IWOTH))) {
        snprintf(why, size, "its loader %s could have been written by others, and is not tried", loader);
        return false;
    }
    return true;
}

/* In the child. The variables are those that make the loader print or do something else. */
static _Noreturn void become_loader(const char *loader, const char *program, const char *preload, int output) {
    static const char *const not_now[] = {"LD_DEBUG",   "LD_DEBUG_OUTPUT", "LD_VERBOSE",        "LD_SHOW_AUXV",
                                          "LD_PROFILE", "LD_WARN",         "PK11CACHE_VERBOSE", "LD_AUDIT"};
    for (size_t i = 0; i < sizeof not_now / sizeof *not_now; i++)
        unsetenv(not_now[i]);
    setenv("LD_PRELOAD", preload, 1);
    setenv("LC_ALL", "C", 1);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    alarm(SECONDS); /* outlives exec */
    execl(loader, loader, "--list", program, (char *)NULL);
    _exit(126);
}

/* All of it, to be freed; what is beyond OUTPUT_MAX is read and dropped. */
static char *read_all(int from) {
    char *text = malloc(OUTPUT_MAX + 1), dropped[4096];
    size_t used = 0;
    ssize_t n = 1;
    while (n > 0) {
        bool full = !text || used == OUTPUT_MAX;
        n = read(from, full ? dropped : text + used, full ? sizeof dropped : OUTPUT_MAX - used);
        used += !full && n > 0 ? (size_t)n : 0;
    }
    if (text)
        text[used] = 0;
    return text;
}

/* What the loader said, to be freed; NULL when it could not be run. */
static char *run_loader(const char *loader, const char *program, const char *preload, int *status) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    pid_t child = fork();
    if (child == 0)
        become_loader(loader, program, preload, ends[1]);
    close(ends[1]);
    char *text = read_all(ends[0]);
    close(ends[0]);
    if (child < 0 || waitpid(child, status, 0) < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static bool add_listed(struct objects *objects, const char *path) {
    struct object *object = objects_add(objects, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC), error;
    if (object && fd >= 0)
        object->readable = object_read(fd, &object->facts, &error);
    if (fd >= 0)
        close(fd);
    return object != NULL;
}

/* "\tname => /path (0xaddress)", "\t/path (0xaddress)", "\tname => not found"; anything else is a message. */
static bool read_line(struct objects *objects, char *line, char *message, size_t size) {
    char *arrow = strstr(line, " => "), *path = arrow ? arrow + 4 : line + strspn(line, "\t "),
         *end = strstr(path, " (0x");
    if (strncmp(path, "not found", 9) == 0) {
        snprintf(message, size, "%.*s is not found", (int)(arrow - line - 1), line + 1);
        return true;
    }
    if (*line != '\t' || !end) {
        if (!*message && *line)
            snprintf(message, size, "%s", line);
        return true;
    }
    *end = 0;
    return *path != '/' || add_listed(objects, path); /* the kernel's own object has no path */
}

static bool read_list(struct objects *objects, char *text, char *message, size_t size) {
    bool fine = true;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line && fine; line = strsep(&rest, "\n"))
        fine = read_line(objects, line, message, size);
    return fine;
}

/* False, with a clause in `why`, when the loader fails; `message` is what it said beside the list. */
static bool list_with(struct objects *objects, const char *preload, char *message, size_t message_size, char *why,
                      size_t size) {
    const char *loader = objects->items[0].facts.interpreter;
    int status = 0;
    char *text = run_loader(loader, objects->items[0].path, preload, &status);
    bool fine = text && read_list(objects, text, message, message_size);
    free(text);
    if (!fine)
        snprintf(why, size, "its loader %s can't be run", loader);
    else if (WIFSIGNALED(status))
        snprintf(why, size, "its loader %s ended by signal %d", loader, WTERMSIG(status));
    else if (WEXITSTATUS(status))
        snprintf(why, size, "its loader says: %s", *message ? message : "nothing, but it fails");
    return !*why;
}

bool check_list(struct objects *objects, char *why, size_t size) {
    char message[512] = "";
    *why = 0;
    char *others = library_others("", getenv("LD_PRELOAD"));
    bool fine = is_trusted(objects->items[0].facts.interpreter, why, size) &&
                list_with(objects, others ? others : "", message, sizeof message, why, size);
    if (fine && *message && strstr(message, " is not found"))
        snprintf(why, size, "it would not start: %s", message);
    free(others);
    return !*why;
}

/* A list of its own, so that the loader's order of things is not mixed with that without the library. */
static bool lists_library(struct objects *objects, const char *preload, char *why, size_t size) {
    char message[512] = "";
    if (!list_with(objects, preload, message, sizeof message, why, size))
        return false;
    for (size_t i = 1; i < objects->count; i++)
        if (object_is_cache(&objects->items[i]))
            return true;
    snprintf(why, size, "its loader does not take it in: %s", *message ? message : "it says nothing of it");
    return false;
}

bool check_preload(const struct object *program, const char *library, char *why, size_t size) {
    struct objects objects = {0};
    struct object *first = objects_add(&objects, program->path);
    *why = 0;
    char *preload = library_preload_list(library, getenv("LD_PRELOAD"));
    char *interpreter = strdup(program->facts.interpreter);
    if (first)
        first->facts.interpreter = interpreter;
    bool fine = first && preload && interpreter && is_trusted(interpreter, why, size) &&
                lists_library(&objects, preload, why, size);
    free(preload);
    objects_free(&objects);
    return fine;
}
