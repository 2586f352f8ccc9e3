/* report_file.h - reading what the library appended to PK11CACHE_REPORT. */
#ifndef PK11CACHE_REPORT_FILE_H
#define PK11CACHE_REPORT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct report_counts {
    unsigned long long calls, hits, misses, bypasses;
};

struct report {
    bool found;                    /* the process has a block */
    bool nss;                      /* in some block NSS was seen */
    char nss_version[32];          /* "-" or empty when it was not */
    int others;                    /* blocks of other processes */
    int others_calling;            /* those of them that made calls */
    struct report_counts own, all; /* of the process; of every block */
};

/* What the file says after `offset` (what is before it is of an earlier run), with the block of `pid` apart. */
struct report report_read(const char *path, off_t offset, pid_t pid);

/* The file's length now, 0 when there is none. */
off_t report_length(const char *path);

#endif
