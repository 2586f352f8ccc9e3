/* Preloaded in front of the library: the n-th of its own requests for memory fails, or (STARVE_ON) that and all that
 * follow. STARVE_AT=n. Requests are known by who makes them: the return address lies in libpk11cache.so. At the end the
 * number of requests goes to STARVE_COUNT, a file. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic unsigned long requests;
static _Atomic uintptr_t low, high;

static int find(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    (void)arg;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libpk11cache.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            low = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            high = low + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static bool starve(const void *caller) {
    static _Atomic int state; /* 0 not begun, 1 being begun, 2 ready */
    static unsigned long at;
    static bool on;
    int none = 0;
    if (atomic_compare_exchange_strong(&state, &none, 1)) {
        at = getenv("STARVE_AT") ? strtoul(getenv("STARVE_AT"), NULL, 10) : 0;
        on = getenv("STARVE_ON") != NULL;
        dl_iterate_phdr(find, NULL);
        state = 2;
    }
    if (state != 2 || (uintptr_t)caller < low || (uintptr_t)caller >= high)
        return false;
    unsigned long n = ++requests;
    return at && (n == at || (on && n > at));
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (!next)
        next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if (starve(__builtin_return_address(0))) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return next(address, size, protection, flags, fd, offset);
}

void *malloc(size_t size) {
    extern void *__libc_malloc(size_t);
    if (starve(__builtin_return_address(0))) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("STARVE_COUNT");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%lu\n", (unsigned long)requests);
        fclose(file);
    }
}
