/* `pk11cache check BINARY`: would the cache be in this program's way to NSS? */
#include "check.h"
#include "command.h"
#include "format.h"
#include "program_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The line after "#!", without the white space around it. */
static bool read_script(int fd, char *interpreter, size_t size) {
    ssize_t n = pread(fd, interpreter, size - 1, 0);
    interpreter[n > 0 ? n : 0] = 0;
    if (strncmp(interpreter, "#!", 2) != 0)
        return false;
    size_t start = 2 + strspn(interpreter + 2, " \t");
    memmove(interpreter, interpreter + start, strlen(interpreter + start) + 1);
    interpreter[strcspn(interpreter, "\n")] = 0;
    for (size_t length = strlen(interpreter); length && strchr(" \t\r", interpreter[length - 1]); length--)
        interpreter[length - 1] = 0;
    format_printable(interpreter);
    return true;
}

/* "env" names what it starts after its options and settings. */
static int say_script(const char *path, char *line) {
    char *rest = line, *interpreter = strsep(&rest, " \t"), *slash = strrchr(interpreter, '/');
    const char *program = interpreter;
    if (rest && strcmp(slash ? slash + 1 : interpreter, "env") == 0)
        for (char *word = strsep(&rest, " \t"); word; word = strsep(&rest, " \t"))
            if (*word && *word != '-' && !strchr(word, '=')) {
                program = word;
                break;
            }
    printf("%s is a script, which %s runs: the preload reaches the interpreter, and what the script starts. Check that "
           "program, or the running process by its number: pk11cache check %s\n",
           path, program, program);
    return CHECK_NO;
}

static int not_a_program(const char *path, enum object_kind kind) {
    complain(kind == OBJECT_SHARED ? "%s is a shared object: check a program that loads it"
                                   : "%s is an ELF file, but no program",
             path);
    return CHECK_BAD;
}

static bool say_privilege(const char *path, const struct check_user *user) {
    enum privilege privilege = program_privilege(path, user->uid, user->gid);
    if (privilege == PRIVILEGE_NONE)
        return false;
    printf("The cache would not be preloaded: %s has %s, and the loader ignores LD_PRELOAD when %s starts it.\n", path,
           privilege == PRIVILEGE_SET_ID ? "a set-user-ID or set-group-ID bit" : "file capabilities", user->name);
    return true;
}

/* What is right for root need not be right for the daemon's user. */
static void say_privilege_of_others(const char *path, const struct check_user *user) {
    static const struct check_user nobody = {"", 65534, 65534};
    if (user->uid == 0 && program_privilege(path, nobody.uid, nobody.gid) != PRIVILEGE_NONE)
        puts("That holds for root; with its set-ID bits or file capabilities the loader ignores LD_PRELOAD for others "
             "(--user checks for one).");
}

/* What else it loads, and why the library can't be among it: a clause in `why`. False when it can. */
static bool find_obstacle(struct objects *objects, const char *library, const struct object_facts *facts, char *why,
                          size_t size) {
    return check_obstacle(objects, facts, why, size) || !check_list(objects, why, size) ||
           check_obstacle(objects, facts, why, size) || !check_preload(&objects->items[0], library, why, size);
}

/* Each reason is said: when one is dealt with, the next one should be no surprise. */
static int judge_against(struct objects *objects, const struct check_user *user, const char *library,
                         const struct object_facts *facts) {
    char why[1024];
    const char *path = objects->items[0].path;
    bool obstacle = find_obstacle(objects, library, facts, why, sizeof why);
    struct check_uses uses = check_say_uses(objects, false, -1);
    format_printable(why);
    if (obstacle)
        printf("The cache would not be preloaded: %s.\n", why);
    bool privileged = say_privilege(path, user);
    if (obstacle || privileged)
        return CHECK_NO;
    if (!uses.reached) {
        puts("The cache would be preloaded, but would see no calls.");
        return CHECK_NO;
    }
    printf("The cache would be preloaded, and would see %s.\n",
           uses.past ? "those calls that don't go past it" : "these calls");
    say_privilege_of_others(path, user);
    return CHECK_YES;
}

static int judge(struct objects *objects, const struct check_user *user, const char *library) {
    struct object_facts facts;
    if (!check_library(library, &facts))
        return CHECK_BAD;
    int result = judge_against(objects, user, library, &facts);
    object_free(&facts);
    return result;
}

static int check_open_file(int fd, const char *path, const struct check_user *user, const char *library) {
    char line[256];
    struct objects objects = {0};
    int error = 0, result = CHECK_BAD;
    if (read_script(fd, line, sizeof line))
        return say_script(path, line);
    struct object *program = objects_add(&objects, path);
    if (program && object_read(fd, &program->facts, &error)) {
        enum object_kind kind = object_kind(&program->facts);
        program->readable = true;
        result = kind == OBJECT_PROGRAM || kind == OBJECT_STATIC ? judge(&objects, user, library)
                                                                 : not_a_program(path, kind);
    } else {
        complain("%s can't be checked: %s", path, error ? strerror(error) : "it is no ELF program, and no script");
    }
    objects_free(&objects);
    return result;
}

int check_file(const char *name, const struct check_user *user, const char *library) {
    char path[PATH_MAX];
    struct stat status;
    if (!program_find(name, path) || stat(path, &status)) {
        complain("%s: %s", name, strerror(errno));
        return CHECK_BAD;
    }
    if (!S_ISREG(status.st_mode)) {
        complain("%s is no file", path);
        return CHECK_BAD;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        complain("%s: %s", path, strerror(errno));
        return CHECK_BAD;
    }
    int result = check_open_file(fd, path, user, library);
    close(fd);
    return result;
}
