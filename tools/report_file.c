#include "report_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_line(struct report *r, const char *name, const char *value) {
    unsigned long long number = strtoull(value, NULL, 10);
    if (!strcmp(name, "nss"))
        snprintf(r->nss, sizeof r->nss, "%.31s", value);
    else if (!strcmp(name, "calls"))
        r->calls = number;
    else if (!strcmp(name, "hits"))
        r->hits = number;
    else if (!strcmp(name, "misses"))
        r->misses = number;
    else if (!strcmp(name, "bypasses"))
        r->bypasses = number;
}

struct report report_read(const char *path, pid_t pid) {
    struct report r = {0};
    char name[64], value[128];
    FILE *file = fopen(path, "re");
    bool mine = false;
    while (file && fscanf(file, "%63s %127[^\n]", name, value) == 2) {
        if (!strcmp(name, "pid")) {
            mine = strtol(value, NULL, 10) == pid;
            r.found = r.found || mine;
            r.processes++;
        } else if (mine) {
            take_line(&r, name, value);
        }
    }
    if (file)
        fclose(file);
    return r;
}
