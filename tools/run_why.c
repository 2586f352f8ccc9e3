/* Why a preload does not reach a program: what its file shows. */
#include "program_file.h"
#include "run.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a loader named in it, a program is static, and nobody reads LD_PRELOAD. */
static bool names_loader(int fd, const Elf64_Ehdr *head) {
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr part;
        off_t at = (off_t)(head->e_phoff + i * sizeof part);
        if (pread(fd, &part, sizeof part, at) == (ssize_t)sizeof part && part.p_type == PT_INTERP)
            return true;
    }
    return false;
}

static const char *why_by_content(int fd) {
    Elf64_Ehdr head = {0};
    ssize_t n = pread(fd, &head, sizeof head, 0);
    if (n >= 2 && head.e_ident[0] == '#' && head.e_ident[1] == '!')
        return "it is a script whose interpreter can't be preloaded";
    if (n < (ssize_t)sizeof head || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        return "it is no ELF program";
    if (head.e_ident[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program";
    if (!names_loader(fd, &head))
        return "it is statically linked, and nothing can be preloaded into it";
    return "it was killed, or ended by _exit or exec, before it could be looked at";
}

const char *run_why_not_loaded(const char *program) {
    char path[PATH_MAX];
    if (!program_find(program, path))
        return "the program could not be looked at";
    enum privilege privilege = program_privilege(path, getuid(), getgid());
    if (privilege == PRIVILEGE_SET_ID)
        return "it is set-user-ID or set-group-ID, and the loader then ignores LD_PRELOAD";
    if (privilege == PRIVILEGE_CAPABILITIES)
        return "it has file capabilities, and the loader then ignores LD_PRELOAD";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return "the program can't be read";
    const char *why = why_by_content(fd);
    close(fd);
    return why;
}
