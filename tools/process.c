#include "process.h"
#include "format.h"
#include "process_socket.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct status {
    char state;
    pid_t process; /* a thread's */
};

/* /proc/PID/status: what everybody may read. False when there is no such process. */
static bool read_status(pid_t pid, struct process *p, struct status *status) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    *status = (struct status){0};
    while (fgets(line, sizeof line, file)) {
        int number = 0;
        if (sscanf(line, "Tgid: %d", &number) == 1)
            status->process = number;
        sscanf(line, "Name: %15[^\n]", p->comm);
        sscanf(line, "State: %c", &status->state);
        sscanf(line, "Uid: %*u %u", &p->uid);
        if (sscanf(line, "Seccomp: %d", &number) == 1)
            p->filtered = number == 2;
    }
    fclose(file);
    return status->process > 0;
}

bool process_is_stopped(pid_t pid) {
    struct process process = {0};
    struct status status;
    return read_status(pid, &process, &status) && (status.state == 'T' || status.state == 't');
}

/* What it runs: a daemon may call its first thread anything. An interpreter's script has only its comm. */
static void read_name(struct process *p) {
    char path[64], file[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)p->pid);
    ssize_t length = readlink(path, file, sizeof file - 1);
    file[length > 0 ? length : 0] = 0;
    char *deleted = strstr(file, " (deleted)"), *slash = strrchr(file, '/');
    if (deleted)
        *deleted = 0;
    snprintf(p->name, sizeof p->name, "%.63s", slash && slash[1] ? slash + 1 : p->comm);
    format_printable(p->name);
}

/* True, false, or -1 when it may not be looked at. */
static int has_library(pid_t pid) {
    char path[64], line[PATH_MAX + 128];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    bool found = false;
    if (!maps)
        return errno == ENOENT ? 0 : -1;
    errno = 0;
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, "/libpk11cache.so") != NULL;
    bool refused = ferror(maps) && errno != ESRCH;
    fclose(maps);
    return refused ? -1 : found;
}

static enum process_state library_state(struct process *p) {
    int library = has_library(p->pid);
    if (library <= 0)
        return library < 0 ? PROCESS_HIDDEN : PROCESS_BARE;
    return process_socket(p->pid, p->socket, sizeof p->socket);
}

struct process process_look(pid_t pid) {
    struct process p = {.pid = pid};
    struct status status;
    if (!read_status(pid, &p, &status) || status.state == 'Z' || status.state == 'X')
        return p;
    p.pid = status.process;
    read_name(&p);
    p.state = library_state(&p);
    return p;
}

bool process_is_called(const struct process *process, const char *name) {
    return strcmp(process->name, name) == 0 || strcmp(process->comm, name) == 0;
}

/* The names are read first, since maps cost the process its lock. */
static bool is_wanted(pid_t pid, const char *wanted) {
    struct process p = {.pid = pid};
    struct status status;
    if (!wanted)
        return true;
    if (!read_status(pid, &p, &status))
        return false;
    read_name(&p);
    return process_is_called(&p, wanted);
}

static int by_pid(const void *a, const void *b) {
    const struct process *left = a, *right = b;
    return (left->pid > right->pid) - (left->pid < right->pid);
}

static bool append(struct process **list, size_t *count, size_t *room, const struct process *p) {
    if (*count == *room) {
        size_t more = *room ? *room * 2 : 64;
        struct process *larger = realloc(*list, more * sizeof *larger);
        if (!larger)
            return false;
        *list = larger;
        *room = more;
    }
    (*list)[(*count)++] = *p;
    return true;
}

struct process *process_look_at_all(const char *wanted, size_t *count) {
    DIR *proc = opendir("/proc");
    struct process *list = NULL;
    size_t room = 0;
    bool fine = proc != NULL;
    *count = 0;
    for (struct dirent *entry = proc ? readdir(proc) : NULL; fine && entry; entry = readdir(proc)) {
        pid_t pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        if (!pid || pid == getpid() || !is_wanted(pid, wanted))
            continue;
        struct process p = process_look(pid);
        fine = p.state == PROCESS_GONE || append(&list, count, &room, &p);
    }
    if (proc)
        closedir(proc);
    if (fine && !list)
        list = calloc(1, sizeof *list);
    if (!fine) {
        free(list);
        return NULL;
    }
    qsort(list, *count, sizeof *list, by_pid);
    return list;
}

const char *process_user(uid_t uid) {
    static char number[16];
    const struct passwd *user = getpwuid(uid);
    snprintf(number, sizeof number, "%u", uid);
    return user ? user->pw_name : number;
}

void process_explain(const struct process *p, char *text, size_t size) {
    int pid = (int)p->pid;
    switch (p->state) {
    case PROCESS_GONE:
        snprintf(text, size, "there is no process %d", pid);
        break;
    case PROCESS_HIDDEN:
        snprintf(text, size,
                 geteuid() == 0 ? "no permission to look at process %d (%s) of user %s; root needs CAP_SYS_PTRACE for "
                                  "it, or name its socket by the path"
                                : "no permission to look at process %d (%s) of user %s; run this as root, or as that "
                                  "user",
                 pid, p->name, process_user(p->uid));
        break;
    case PROCESS_BARE:
        snprintf(text, size,
                 "process %d (%s) runs without the library; start it by `pk11cache run`, or with libpk11cache.so in "
                 "LD_PRELOAD",
                 pid, p->name);
        break;
    case PROCESS_QUIET:
        snprintf(text, size,
                 p->filtered ? "process %d (%s) has the library, but no socket: under a seccomp filter there is one "
                               "only with PK11CACHE_SOCKET set to a path"
                             : "process %d (%s) has the library, but no socket yet: the first call that can be cached "
                               "makes it, and there was none so far",
                 pid, p->name);
        break;
    case PROCESS_NO_SOCKET:
        snprintf(text, size,
                 "process %d (%s) has the library, but could make no socket (its stderr says why); restart it with "
                 "PK11CACHE_SOCKET set to a path that it can write",
                 pid, p->name);
        break;
    case PROCESS_SOCKET:
        snprintf(text, size, "process %d (%s) has the socket %s", pid, p->name, p->socket);
        break;
    }
}
