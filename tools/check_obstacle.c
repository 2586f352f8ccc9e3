/* Why a library can't be preloaded into a program: what their files show. */
#include "check.h"
#include "command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool check_library(const char *path, struct object_facts *facts) {
    int error = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = fd >= 0 && object_read(fd, facts, &error);
    if (fd < 0)
        error = errno;
    if (!fine)
        complain("the library %s can't be read: %s", path, error ? strerror(error) : "it is no ELF file");
    if (fd >= 0)
        close(fd);
    return fine;
}

static bool is_too_old(const struct objects *objects, const struct object_facts *library, char *text, size_t size) {
    const struct object *libc = objects_find(objects, "libc.so.6");
    int has = libc ? libc->facts.glibc_defined : 0, wants = library->glibc_needed;
    if (!has || has >= wants)
        return false;
    snprintf(text, size, "its glibc is %d.%d, and the library needs %d.%d or newer", has / 1000, has % 1000,
             wants / 1000, wants % 1000);
    return true;
}

bool check_obstacle(const struct objects *objects, const struct object_facts *library, char *text, size_t size) {
    const struct object_facts *program = &objects->items[0].facts;
    char machine[64];
    *text = 0;
    snprintf(machine, sizeof machine, "%s", object_machine(program));
    if (library && (library->class != program->class || library->machine != program->machine))
        snprintf(text, size, "it is a program for %s, and the library is for %s", machine, object_machine(library));
    else if (!library && program->class != ELFCLASS64)
        snprintf(text, size, "it is a program for %s, and the library has 64 bits", machine);
    else if (object_kind(program) == OBJECT_STATIC)
        snprintf(text, size, "it is a static executable: no loader starts it that would read LD_PRELOAD");
    else if (program->interpreter && strstr(program->interpreter, "/ld-musl"))
        snprintf(text, size, "its C library is musl, and the library needs glibc");
    else if (library)
        is_too_old(objects, library, text, size);
    return *text != 0;
}
