#include "report_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void take_count(struct report_counts *counts, const char *name, unsigned long long number) {
    if (!strcmp(name, "calls"))
        counts->calls += number;
    else if (!strcmp(name, "hits"))
        counts->hits += number;
    else if (!strcmp(name, "misses"))
        counts->misses += number;
    else if (!strcmp(name, "bypasses"))
        counts->bypasses += number;
}

static void take_line(struct report *r, bool mine, const char *name, const char *value) {
    unsigned long long number = strtoull(value, NULL, 10);
    if (!strcmp(name, "nss") && strcmp(value, "-") != 0) {
        r->nss = true;
        snprintf(r->nss_version, sizeof r->nss_version, "%.31s", value);
    }
    if (!strcmp(name, "calls") && !mine && number)
        r->others_calling++;
    take_count(&r->all, name, number);
    if (mine)
        take_count(&r->own, name, number);
}

struct report report_read(const char *path, off_t offset, pid_t pid) {
    struct report r = {0};
    char name[64], value[128];
    FILE *file = fopen(path, "re");
    bool mine = false;
    if (!file)
        return r;
    if (fseeko(file, offset, SEEK_SET) == 0)
        while (fscanf(file, "%63s %127[^\n]", name, value) == 2) {
            if (strcmp(name, "pid") != 0) {
                take_line(&r, mine, name, value);
                continue;
            }
            mine = strtol(value, NULL, 10) == pid;
            r.found = r.found || mine;
            r.others += !mine;
        }
    fclose(file);
    return r;
}

off_t report_length(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}
