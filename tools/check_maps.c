/* The objects that are mapped into a process. */
#include "check.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapping {
    uint64_t start, end, offset;
    unsigned long long inode;
    bool code;
    const char *path; /* within the line */
};

/* Only what is mapped from a file. */
static bool read_mapping(char *line, struct mapping *m) {
    char rights[8] = "";
    int at = 0;
    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %llu %n", &m->start, &m->end, rights, &m->offset,
               &m->inode, &at) < 5)
        return false;
    m->path = line + at;
    m->code = strchr(rights, 'x') != NULL;
    return m->path[0] == '/' && m->inode != 0;
}

/* A regular file of that inode (0: any). Looked at before it is opened: to open a device can do something. */
static int open_if_same(const char *path, unsigned long long inode) {
    struct stat status;
    char name[64];
    int file = open(path, O_PATH | O_CLOEXEC), fd = -1;
    if (file < 0)
        return -1;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && (!inode || status.st_ino == inode))
        fd = open(name, O_RDONLY | O_CLOEXEC);
    close(file);
    return fd;
}

/* The mapping itself needs no path, but CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE. A path is one in the process's mount
 * namespace; below a changed root only ours leads there. Another file of that name has another inode. */
static int open_mapped(pid_t pid, const struct mapping *m) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, m->start, m->end);
    int fd = open_if_same(path, 0);
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, m->path);
        fd = open_if_same(path, m->inode);
    }
    return fd < 0 ? open_if_same(m->path, m->inode) : fd;
}

static bool is_elf(int fd) {
    char magic[4] = "";
    return pread(fd, magic, sizeof magic, 0) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0;
}

/* An object lies where its program headers say. Where these can't be read, what has its path belongs to it. */
static struct object *object_of(struct objects *objects, const struct mapping *m) {
    for (size_t i = 0; i < objects->count; i++) {
        struct object *object = &objects->items[i];
        bool by_path = !object->readable && m->offset && strcmp(object->path, m->path) == 0;
        if (by_path)
            object->high = m->end;
        if (by_path || (m->start >= object->low && m->start < object->high))
            return object;
    }
    return NULL;
}

static struct object *add_object(struct objects *objects, const struct mapping *m, int fd) {
    struct object *object = objects_add(objects, m->path);
    int error;
    if (!object)
        return NULL;
    object->readable = fd >= 0 && object_read(fd, &object->facts, &error);
    object->low = m->start;
    object->high = object->readable ? m->start + (object->facts.last - object->facts.first) : m->end;
    return object;
}

/* An object begins with the mapping of its first bytes. */
static bool add_mapping(pid_t pid, struct objects *objects, const struct mapping *m) {
    struct object *object = object_of(objects, m);
    if (object || m->offset) {
        if (object)
            object->code = object->code || m->code;
        return true;
    }
    int fd = open_mapped(pid, m);
    bool fine = fd >= 0 && !is_elf(fd);
    if (!fine) {
        object = add_object(objects, m, fd);
        fine = object != NULL;
        if (fine)
            object->code = m->code;
    }
    if (fd >= 0)
        close(fd);
    return fine;
}

/* The loader may come before it, when it was the one that was started. */
static void program_first(pid_t pid, struct objects *objects) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    for (size_t i = 1; i < objects->count; i++) {
        struct object first = objects->items[0];
        if (strcmp(objects->items[i].path, path) != 0 || strcmp(first.path, path) == 0)
            continue;
        objects->items[0] = objects->items[i];
        objects->items[i] = first;
        return;
    }
}

bool check_maps(pid_t pid, struct objects *objects) {
    char path[64], line[PATH_MAX + 256];
    struct mapping mapping;
    bool fine = true;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "re");
    if (!maps)
        return false;
    while (fine && fgets(line, sizeof line, maps))
        if (read_mapping(line, &mapping))
            fine = add_mapping(pid, objects, &mapping);
    fine = fine && !ferror(maps);
    fclose(maps);
    program_first(pid, objects);
    return fine && objects->count > 0;
}
