#include "check_symbols.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const nss_function_names[NSS_FUNCTIONS] = {
#define HOOK(name, result, parameters) #name,
#include "hooks/hooks.def"
#undef HOOK
};

/* Contexts by raw key are made through PK11_CreateContextBySymKey; those of key pairs are never cached. */
bool nss_function_makes_context(int function) {
    return function == NSS_PK11_CreateContextBySymKey || function == NSS_PK11_CreateDigestContext ||
           function == NSS_PK11_CreateContextByRawKey || function == NSS___PK11_CreateContextByRawKey;
}

/* NSS_FUNCTIONS when it is none of them. */
static int function_of(const char *name) {
    if (!strchr("PSN_", *name))
        return NSS_FUNCTIONS;
    int function = 0;
    while (function < NSS_FUNCTIONS && strcmp(name, nss_function_names[function]) != 0)
        function++;
    return function;
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Only what encrypts or digests: most programs need some EVP_ function for certificates. */
static const char *crypto_of(const char *name) {
    static const char *const openssl[] = {"Encrypt", "Decrypt", "Cipher", "Digest", "MAC"};
    static const struct {
        const char *begin, *library;
    } others[] = {{"AES_", "OpenSSL"},         {"HMAC", "OpenSSL"},        {"gcry_cipher_", "libgcrypt"},
                  {"gcry_md_", "libgcrypt"},   {"gcry_mac_", "libgcrypt"}, {"gnutls_cipher_", "GnuTLS"},
                  {"gnutls_hmac_", "GnuTLS"},  {"gnutls_hash_", "GnuTLS"}, {"nettle_", "Nettle"},
                  {"_ZN8CryptoPP", "Crypto++"}};
    for (size_t i = 0; begins(name, "EVP_") && i < sizeof openssl / sizeof *openssl; i++)
        if (strstr(name, openssl[i]))
            return "OpenSSL";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (begins(name, others[i].begin))
            return others[i].library;
    return NULL;
}

_Static_assert(NSS_FUNCTIONS < 256, "struct symbols has a byte for each");

struct symbols {
    struct object_facts *facts;
    bool looks_up;     /* it has dlsym */
    unsigned char *of; /* the function of each dynamic symbol */
    bool *defined;     /* by dynamic symbol */
    size_t count;
};

static void note_import(struct symbols *s, const char *name) {
    s->looks_up = s->looks_up || !strcmp(name, "dlsym") || !strcmp(name, "dlvsym");
    s->facts->opens = s->facts->opens || !strcmp(name, "dlopen") || !strcmp(name, "dlmopen");
    const char *crypto = s->facts->other_crypto ? NULL : crypto_of(name);
    if (crypto) {
        s->facts->other_crypto = crypto;
        snprintf(s->facts->other_function, sizeof s->facts->other_function, "%.63s", name);
        format_printable(s->facts->other_function);
    }
}

static void note_symbol(struct symbols *s, size_t index, const GElf_Sym *symbol, const char *name, bool dynamic) {
    int function = function_of(name), type = GELF_ST_TYPE(symbol->st_info);
    bool undefined = symbol->st_shndx == SHN_UNDEF;
    if (dynamic)
        s->of[index] = (unsigned char)function;
    if (dynamic)
        s->defined[index] = !undefined;
    if (dynamic && undefined)
        note_import(s, name);
    if (function == NSS_FUNCTIONS || (!undefined && type != STT_FUNC && type != STT_GNU_IFUNC))
        return;
    if (!undefined)
        s->facts->own[function] = true;
    if (dynamic && undefined)
        s->facts->calls[function] = true;
    else if (dynamic && GELF_ST_VISIBILITY(symbol->st_other) != STV_HIDDEN)
        s->facts->exported[function] = true;
}

static bool read_symbols(Elf_Scn *section, const GElf_Shdr *head, Elf *elf, struct symbols *s) {
    Elf_Data *data = elf_getdata(section, NULL);
    bool dynamic = head->sh_type == SHT_DYNSYM;
    size_t count = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;
    if (dynamic && !s->of) {
        s->count = count;
        s->of = calloc(count + 1, 1);
        s->defined = calloc(count + 1, sizeof *s->defined);
        if (!s->of || !s->defined)
            return false;
    } else if (dynamic) {
        return true; /* there is one such table */
    }
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        const char *name = gelf_getsym(data, (int)i, &symbol) ? elf_strptr(elf, head->sh_link, symbol.st_name) : NULL;
        if (name)
            note_symbol(s, i, &symbol, name, dynamic);
        else if (dynamic)
            s->of[i] = NSS_FUNCTIONS;
    }
    return true;
}

static bool is_address(int machine, unsigned type) {
    if (machine == EM_X86_64)
        return type == R_X86_64_64 || type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT;
    return machine == EM_AARCH64 &&
           (type == R_AARCH64_ABS64 || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT);
}

static bool add_slot(struct object_facts *facts, int function, uint64_t at) {
    struct slot *slots = realloc(facts->slots, (facts->slots_count + 1) * sizeof *slots);
    if (!slots)
        return false;
    facts->slots = slots;
    slots[facts->slots_count++] = (struct slot){function, at};
    return true;
}

/* A shared object that calls its own definition through such a word lets a preloaded one come first. A program does
 * not: its definitions come before those of all others. */
static bool note_relocation(struct symbols *s, size_t symbol, unsigned type, uint64_t at) {
    struct object_facts *facts = s->facts;
    int function = symbol < s->count ? s->of[symbol] : NSS_FUNCTIONS;
    if (function == NSS_FUNCTIONS || !is_address(facts->machine, type))
        return true;
    if (s->defined[symbol] && !facts->symbolic && object_kind(facts) == OBJECT_SHARED)
        facts->calls[function] = true;
    return add_slot(facts, function, at);
}

static bool read_relocations(Elf_Scn *section, const GElf_Shdr *head, struct symbols *s) {
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && head->sh_entsize ? data->d_size / head->sh_entsize : 0;
    for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
        GElf_Rela entry;
        if (gelf_getrela(data, (int)i, &entry) &&
            !note_relocation(s, GELF_R_SYM(entry.r_info), (unsigned)GELF_R_TYPE(entry.r_info), entry.r_offset))
            return false;
    }
    return true;
}

/* The whole string, as an argument of dlsym has to be; the name within a message is none. */
static bool has_string(const Elf_Data *data, const char *text) {
    size_t size = strlen(text) + 1; /* with the end */
    const char *at = data->d_buf, *end = at + data->d_size;
    for (; (at = memmem(at, (size_t)(end - at), text, size)); at++)
        if (at == data->d_buf || at[-1] == 0)
            return true;
    return false;
}

static void read_strings(Elf_Scn *section, struct symbols *s) {
    Elf_Data *data = elf_getdata(section, NULL);
    for (int function = 0; data && data->d_buf && function < NSS_FUNCTIONS; function++)
        if (nss_function_makes_context(function) && has_string(data, nss_function_names[function]))
            s->facts->named[function] = true;
}

static bool is_constant(const GElf_Shdr *head) {
    return head->sh_type == SHT_PROGBITS && (head->sh_flags & SHF_ALLOC) && !(head->sh_flags & SHF_EXECINSTR);
}

/* Relocations need the symbols, and strings matter only with dlsym: so there are two rounds. */
static bool read_round(Elf *elf, struct symbols *s, bool second) {
    bool fine = true;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section && fine; section = elf_nextscn(elf, section)) {
        GElf_Shdr head;
        if (!gelf_getshdr(section, &head))
            continue;
        bool symbols = head.sh_type == SHT_DYNSYM || head.sh_type == SHT_SYMTAB;
        if (!second && symbols)
            fine = read_symbols(section, &head, elf, s);
        else if (second && head.sh_type == SHT_RELA && (head.sh_flags & SHF_ALLOC))
            fine = read_relocations(section, &head, s);
        else if (second && s->looks_up && is_constant(&head))
            read_strings(section, s);
    }
    return fine;
}

bool symbols_read(Elf *elf, struct object_facts *facts) {
    struct symbols s = {.facts = facts};
    bool fine = read_round(elf, &s, false) && read_round(elf, &s, true);
    free(s.of);
    free(s.defined);
    return fine;
}
