#include "process_socket.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SOCKETS_MAX = 16 };

struct inodes {
    unsigned long inode[SOCKETS_MAX];
    unsigned count;
};

static bool is_helper(const char *folder, const char *thread) {
    char path[512], name[32] = "";
    snprintf(path, sizeof path, "%s/%s/comm", folder, thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool same = fgets(name, sizeof name, file) && strcmp(name, "pk11cache\n") == 0;
    fclose(file);
    return same;
}

/* The folder of the helper thread's descriptors. */
static bool find_helper(pid_t pid, char *folder, size_t size) {
    char tasks[64];
    bool found = false;
    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)pid);
    DIR *directory = opendir(tasks);
    if (!directory)
        return false;
    for (struct dirent *entry = readdir(directory); entry && !found; entry = readdir(directory)) {
        if (!isdigit((unsigned char)entry->d_name[0]) || !is_helper(tasks, entry->d_name))
            continue;
        found = true;
        snprintf(folder, size, "%s/%s/fd", tasks, entry->d_name);
    }
    closedir(directory);
    return found;
}

static bool collect_sockets(const char *folder, struct inodes *sockets) {
    DIR *directory = opendir(folder);
    if (!directory)
        return errno != EACCES && errno != EPERM;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char target[64];
        ssize_t length = readlinkat(dirfd(directory), entry->d_name, target, sizeof target - 1);
        target[length > 0 ? length : 0] = 0;
        if (sockets->count < SOCKETS_MAX && sscanf(target, "socket:[%lu]", &sockets->inode[sockets->count]) == 1)
            sockets->count++;
    }
    closedir(directory);
    return true;
}

static bool contains(const struct inodes *sockets, unsigned long inode) {
    for (unsigned i = 0; i < sockets->count; i++)
        if (sockets->inode[i] == inode)
            return true;
    return false;
}

/* How many of them listen on a path; the last one's path. The table is that of the process's network namespace. */
static unsigned listening(pid_t pid, const struct inodes *sockets, char *path, size_t size) {
    enum { ACCEPTS = 0x10000 }; /* __SO_ACCEPTCON of linux/net.h */
    char file_name[64], line[512];
    unsigned found = 0;
    snprintf(file_name, sizeof file_name, "/proc/%d/net/unix", (int)pid);
    FILE *file = fopen(file_name, "re");
    while (file && fgets(line, sizeof line, file)) {
        unsigned flags = 0;
        unsigned long inode = 0;
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%*x: %*x %*x %x %*x %*x %lu %n", &flags, &inode, &at) < 2 || !(flags & ACCEPTS) ||
            line[at] != '/' || !contains(sockets, inode))
            continue;
        found++;
        snprintf(path, size, "%s", line + at);
    }
    if (file)
        fclose(file);
    return found;
}

/* While the helper starts its table is still a copy of the program's, whose own sockets are none of our business. */
enum process_state process_socket(pid_t pid, char *path, size_t size) {
    char folder[512];
    struct inodes sockets = {0};
    if (!find_helper(pid, folder, sizeof folder))
        return PROCESS_QUIET;
    if (!collect_sockets(folder, &sockets))
        return PROCESS_HIDDEN;
    return listening(pid, &sockets, path, size) == 1 ? PROCESS_SOCKET : PROCESS_NO_SOCKET;
}
