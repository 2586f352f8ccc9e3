/* report_file.h - reading what the library appended to PK11CACHE_REPORT. */
#ifndef PK11CACHE_REPORT_FILE_H
#define PK11CACHE_REPORT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct report {
    bool found;
    char nss[32];
    unsigned long long calls, hits, misses, bypasses;
    int processes; /* blocks in the file */
};

/* The block of `pid` in the file; .found is false when there is none. */
struct report report_read(const char *path, pid_t pid);

#endif
