#include "target.h"
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_number(const char *text) {
    return *text && text[strspn(text, "0123456789")] == 0;
}

static bool is_socket(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

static bool no_memory(char why[WHY_SIZE]) {
    snprintf(why, WHY_SIZE, "no memory, or no /proc");
    return false;
}

static bool only(const struct process *process, struct targets *targets, char why[WHY_SIZE]) {
    targets->items = malloc(sizeof *targets->items);
    if (!targets->items)
        return no_memory(why);
    targets->items[0] = *process;
    targets->count = 1;
    return true;
}

static bool find_socket(const char *path, struct targets *targets, char why[WHY_SIZE]) {
    struct process p = {.state = PROCESS_SOCKET, .by_path = true};
    if (strlen(path) >= sizeof p.socket) {
        snprintf(why, WHY_SIZE, "the socket's path is longer than %zu bytes", sizeof p.socket - 1);
        return false;
    }
    strcpy(p.socket, path);
    return only(&p, targets, why);
}

static bool find_pid(const char *text, struct targets *targets, char why[WHY_SIZE]) {
    errno = 0;
    long pid = strtol(text, NULL, 10);
    if (errno || pid < 1 || pid > INT_MAX) {
        snprintf(why, WHY_SIZE, "there is no process %s", text);
        return false;
    }
    struct process p = process_look((pid_t)pid);
    if (p.state == PROCESS_SOCKET)
        return only(&p, targets, why);
    process_explain(&p, why, WHY_SIZE);
    return false;
}

/* Those without a socket go; what is to be said of them comes from the one that came nearest to having one. */
static struct process keep_those_with_socket(struct targets *targets) {
    struct process nearest = {.state = PROCESS_GONE};
    size_t kept = 0;
    for (size_t i = 0; i < targets->count; i++) {
        struct process *p = &targets->items[i];
        if (p->state > nearest.state)
            nearest = *p;
        if (p->state == PROCESS_SOCKET)
            targets->items[kept++] = *p;
    }
    targets->count = kept;
    return nearest;
}

/* Without a name, only a process that has the library is worth a word. */
static void explain_none(const char *name, const struct process *nearest, char why[WHY_SIZE]) {
    if (name && nearest->state == PROCESS_GONE)
        snprintf(why, WHY_SIZE, "there is no process, and no socket, called \"%s\"", name);
    else if (name || nearest->state >= PROCESS_QUIET)
        process_explain(nearest, why, WHY_SIZE);
    else
        snprintf(why, WHY_SIZE, "no process here has a stats socket%s; `pk11cache run` starts a program with the cache",
                 nearest->state == PROCESS_HIDDEN && geteuid() != 0
                     ? " (other users' processes can be looked at by root only)"
                     : "");
}

/* HIDDEN ranks below BARE, but "no permission" matters more than "some other process has no library". */
static bool any_hidden(const struct targets *targets) {
    for (size_t i = 0; i < targets->count; i++)
        if (targets->items[i].state == PROCESS_HIDDEN)
            return true;
    return false;
}

static bool find_named(const char *name, struct targets *targets, char why[WHY_SIZE]) {
    targets->items = process_look_at_all(name, &targets->count);
    if (!targets->items)
        return no_memory(why);
    bool hidden = any_hidden(targets);
    struct process nearest = keep_those_with_socket(targets);
    if (targets->count)
        return true;
    if (!name && hidden && nearest.state < PROCESS_QUIET)
        nearest.state = PROCESS_HIDDEN;
    if (name)
        targets_free(targets);
    if (name && nearest.state == PROCESS_GONE && is_socket(name))
        return find_socket(name, targets, why);
    explain_none(name, &nearest, why);
    return !name;
}

bool targets_find(const char *given, struct targets *targets, char why[WHY_SIZE]) {
    *targets = (struct targets){0};
    *why = 0;
    if (given && strchr(given, '/'))
        return find_socket(given, targets, why);
    if (given && is_number(given))
        return find_pid(given, targets, why);
    return find_named(given, targets, why);
}

bool target_find_one(const char *given, struct process *target) {
    struct targets targets;
    char why[WHY_SIZE];
    if (!targets_find(given, &targets, why) || !targets.count) {
        complain("%s", why);
        targets_free(&targets);
        return false;
    }
    *target = targets.items[0];
    if (targets.count > 1) {
        complain("there are %zu such processes; name one by its number:", targets.count);
        for (size_t i = 0; i < targets.count; i++)
            fprintf(stderr, "  %7d %-16s %s\n", (int)targets.items[i].pid, targets.items[i].name,
                    targets.items[i].socket);
    }
    bool one = targets.count == 1;
    targets_free(&targets);
    return one;
}

void targets_free(struct targets *targets) {
    free(targets->items);
    *targets = (struct targets){0};
}
