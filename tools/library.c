#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool usable(const char *path, char found[PATH_MAX]) {
    struct stat status;
    if (access(path, R_OK) || stat(path, &status))
        return false;
    errno = EISDIR;
    return S_ISREG(status.st_mode) && realpath(path, found);
}

bool library_find(const char *given, char path[PATH_MAX]) {
    const char *fixed = given ? given : getenv("PK11CACHE_LIB");
    if (fixed && *fixed) {
        if (usable(fixed, path))
            return true;
        complain("the library %s can't be read: %s", fixed, strerror(errno));
        return false;
    }
    static const char *const places[] = {"%s/libpk11cache.so", "%s/../" PK11CACHE_LIBDIR "/libpk11cache.so"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char candidate[PATH_MAX];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(candidate, sizeof candidate, places[i], command_folder());
#pragma GCC diagnostic pop
        if (usable(candidate, path))
            return true;
    }
    complain("libpk11cache.so is neither beside this command nor installed; say where it is with --lib");
    return false;
}

/* The same file under this or another name. */
static bool same_file(const char *path, const char *entry, size_t length) {
    char name[PATH_MAX], real[PATH_MAX];
    snprintf(name, sizeof name, "%.*s", (int)length, entry);
    return !strcmp(name, path) || (strchr(name, '/') && realpath(name, real) && !strcmp(real, path));
}

char *library_others(const char *path, const char *before) {
    size_t room = (before ? strlen(before) : 0) + 1, used = 0;
    char *list = calloc(1, room);
    while (list && before && *before) {
        size_t span = strcspn(before, ": ");
        if (span && !same_file(path, before, span))
            used += (size_t)snprintf(list + used, room - used, "%s%.*s", used ? ":" : "", (int)span, before);
        before += span + (before[span] != 0);
    }
    return list;
}

char *library_preload_list(const char *path, const char *before) {
    char *others = library_others(path, before), *list = NULL;
    if (others && asprintf(&list, "%s%s%s", path, *others ? ":" : "", others) < 0)
        list = NULL;
    free(others);
    return list;
}

/* The first line that the loader had to say. */
static int try_true(const char *path, char *words, size_t room) {
    int pipe_ends[2];
    if (pipe2(pipe_ends, O_CLOEXEC))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], STDERR_FILENO);
        unsetenv("PK11CACHE_VERBOSE"); /* nothing but the loader is to speak */
        unsetenv("PK11CACHE_REPORT");
        setenv("LD_PRELOAD", path, 1);
        execl("/bin/true", "true", (char *)NULL);
        _exit(126);
    }
    close(pipe_ends[1]);
    size_t used = 0;
    ssize_t n;
    while (used + 1 < room && (n = read(pipe_ends[0], words + used, room - 1 - used)) > 0)
        used += (size_t)n;
    words[used] = 0;
    words[strcspn(words, "\n")] = 0;
    close(pipe_ends[0]);
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool library_try(const char *path) {
    char words[512] = "";
    int status = try_true(path, words, sizeof words);
    if (status == 0 && !*words)
        return true;
    if (strpbrk(path, ": "))
        complain("LD_PRELOAD can't hold a path with a colon or a space: %s", path);
    else
        complain("a program with %s preloaded would not start (exit %d): %s", path, status,
                 *words ? words : "no message");
    return false;
}
