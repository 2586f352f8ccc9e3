#include "stats/private_files.h"
#include "preload/libc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* A sanitizer reports on stderr, from whichever thread. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { FIRST = 3 };
#else
enum { FIRST = 0 };
#endif

bool private_files_begin(void) {
    return unshare(CLONE_FILES) == 0;
}

static bool close_between(unsigned first, unsigned last) {
    return first > last || syscall(SYS_close_range, first, last, 0) == 0;
}

struct entry { /* getdents64(2) */
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Before Linux 5.9: what the thread's folder in /proc lists, until it lists nothing more. Without opendir, which takes
 * the host's malloc. */
static void close_listed(int keep) {
    char path[64], buffer[2048];
    bool more = true;
    while (more) {
        more = false;
        snprintf(path, sizeof path, "/proc/self/task/%ld/fd", syscall(SYS_gettid));
        int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        long length = directory < 0 ? -1 : syscall(SYS_getdents64, directory, buffer, sizeof buffer);
        for (long at = 0; at < length;) {
            const struct entry *entry = (const struct entry *)(const void *)(buffer + at);
            int fd = entry->name[0] == '.' ? -1 : atoi(entry->name);
            at += entry->length;
            if (fd >= FIRST && fd != keep && fd != directory)
                more = close(fd) == 0 || more;
        }
        if (directory >= 0)
            close(directory);
    }
}

void private_files_only(int keep) {
    unsigned from = keep < FIRST ? FIRST : (unsigned)keep + 1;
    if ((keep > FIRST && !close_between(FIRST, (unsigned)keep - 1)) || !close_between(from, ~0U))
        close_listed(keep);
    while (!FIRST) {
        int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (fd < 0 || fd > 2) {
            if (fd > 2)
                close(fd);
            return;
        }
    }
}
