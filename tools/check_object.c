#include "check_object.h"
#include "check_symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The content of a program header: a loader's name. */
static char *read_text(Elf *elf, const GElf_Phdr *part) {
    size_t size;
    const char *file = elf_rawfile(elf, &size);
    if (!file || part->p_offset >= size || part->p_filesz > size - part->p_offset)
        return NULL;
    return strndup(file + part->p_offset, part->p_filesz);
}

static void note_load(const GElf_Phdr *part, struct object_facts *facts) {
    uint64_t page = part->p_align > 1 ? part->p_align : 1;
    if (!facts->last)
        facts->first = part->p_vaddr & ~(page - 1);
    facts->last = (part->p_vaddr + part->p_memsz + page - 1) & ~(page - 1);
}

static void read_parts(Elf *elf, struct object_facts *facts) {
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr part;
        if (!gelf_getphdr(elf, (int)i, &part))
            continue;
        if (part.p_type == PT_INTERP && !facts->interpreter)
            facts->interpreter = read_text(elf, &part);
        if (part.p_type == PT_DYNAMIC)
            facts->dynamic = true;
        if (part.p_type == PT_LOAD)
            note_load(&part, facts);
    }
}

static void note_dynamic(Elf *elf, const GElf_Shdr *head, const GElf_Dyn *entry, struct object_facts *facts) {
    const char *soname = entry->d_tag == DT_SONAME ? elf_strptr(elf, head->sh_link, entry->d_un.d_val) : NULL;
    if (soname)
        snprintf(facts->soname, sizeof facts->soname, "%.63s", soname);
    if (entry->d_tag == DT_SYMBOLIC || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_SYMBOLIC)))
        facts->symbolic = true;
    if (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_PIE))
        facts->pie = true;
}

static void read_dynamic(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct object_facts *facts) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Dyn entry;
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
        note_dynamic(elf, head, &entry, facts);
}

static void note_version(const char *name, int *highest) {
    int major, minor;
    if (name && sscanf(name, "GLIBC_%3d.%3d", &major, &minor) == 2 && major * 1000 + minor > *highest)
        *highest = major * 1000 + minor;
}

/* Only ahead, so that a broken list ends. */
static bool step(int *at, uint32_t next) {
    if (!next || next > INT32_MAX || *at > INT32_MAX - (int)next)
        return false;
    *at += (int)next;
    return true;
}

/* The offset of a list that begins at another entry; -1, where nothing lies, when it can't be one. */
static int inner(int at, uint32_t offset) {
    return step(&at, offset) ? at : -1;
}

static void read_defined(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct object_facts *facts) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Verdef version;
    int at = 0;
    while (data && gelf_getverdef(data, at, &version)) {
        GElf_Verdaux name;
        if (gelf_getverdaux(data, inner(at, version.vd_aux), &name))
            note_version(elf_strptr(elf, head->sh_link, name.vda_name), &facts->glibc_defined);
        if (!step(&at, version.vd_next))
            break;
    }
}

static void read_needed_of(Elf *elf, Elf_Data *data, int at, const GElf_Shdr *head, struct object_facts *facts) {
    GElf_Vernaux name;
    while (gelf_getvernaux(data, at, &name)) {
        note_version(elf_strptr(elf, head->sh_link, name.vna_name), &facts->glibc_needed);
        if (!step(&at, name.vna_next))
            break;
    }
}

static void read_needed(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct object_facts *facts) {
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Verneed file;
    int at = 0;
    while (data && gelf_getverneed(data, at, &file)) {
        read_needed_of(elf, data, inner(at, file.vn_aux), head, facts);
        if (!step(&at, file.vn_next))
            break;
    }
}

static void read_sections(Elf *elf, struct object_facts *facts) {
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr head;
        if (!gelf_getshdr(section, &head))
            continue;
        if (head.sh_type == SHT_DYNAMIC)
            read_dynamic(elf, section, &head, facts);
        else if (head.sh_type == SHT_GNU_verdef)
            read_defined(elf, section, &head, facts);
        else if (head.sh_type == SHT_GNU_verneed)
            read_needed(elf, section, &head, facts);
    }
}

static bool read_elf(Elf *elf, struct object_facts *facts, int *error) {
    GElf_Ehdr head;
    *error = 0;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head))
        return false;
    facts->class = gelf_getclass(elf);
    facts->machine = head.e_machine;
    facts->type = head.e_type;
    read_parts(elf, facts);
    read_sections(elf, facts);
    *error = ENOMEM;
    return symbols_read(elf, facts);
}

bool object_read(int fd, struct object_facts *facts, int *error) {
    *facts = (struct object_facts){0};
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    if (!elf) {
        *error = 0;
        return false;
    }
    bool fine = read_elf(elf, facts, error);
    elf_end(elf);
    if (!fine)
        object_free(facts);
    return fine;
}

void object_free(struct object_facts *facts) {
    free(facts->interpreter);
    free(facts->slots);
    *facts = (struct object_facts){0};
}

enum object_kind object_kind(const struct object_facts *facts) {
    if (facts->type != ET_EXEC && facts->type != ET_DYN)
        return OBJECT_OTHER;
    if (facts->interpreter)
        return OBJECT_PROGRAM;
    return facts->type == ET_EXEC || facts->pie ? OBJECT_STATIC : OBJECT_SHARED;
}

const char *object_machine(const struct object_facts *facts) {
    static const struct {
        int machine;
        const char *name;
    } known[] = {{EM_X86_64, "x86-64"}, {EM_386, "x86"},   {EM_AARCH64, "arm64"}, {EM_ARM, "arm"},
                 {EM_PPC64, "ppc64"},   {EM_S390, "s390"}, {EM_RISCV, "RISC-V"},  {EM_MIPS, "MIPS"}};
    static char text[48];
    snprintf(text, sizeof text, "ELF machine %d", facts->machine);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == facts->machine)
            snprintf(text, sizeof text, "%s", known[i].name);
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, ", %d-bit", facts->class == ELFCLASS64 ? 64 : 32);
    return text;
}
