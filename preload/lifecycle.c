/* Load and unload. Everything else is lazy, so that hooks called before our constructor find things right. */
#include "preload/libc.h"
#include "preload/cache.h"
#include "preload/options.h"
#include "stats/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void housekeeper_stop(void);

static bool is_ours(const char *entry, size_t length) {
    static const char name[] = "libpk11cache.so";
    size_t n = sizeof name - 1;
    return length >= n && memcmp(entry + length - n, name, n) == 0 && (length == n || entry[length - n - 1] == '/');
}

/* PK11CACHE_CHILDREN=no: take our entry out of LD_PRELOAD, keep the others. */
static void leave_children_alone(void) {
    const char *list = getenv("LD_PRELOAD");
    size_t used = 0;
    if (!list)
        return;
    char *kept = malloc(strlen(list) + 1);
    if (!kept)
        return;
    while (*list) {
        size_t span = strcspn(list, ": ");
        if (span && !is_ours(list, span)) {
            if (used)
                kept[used++] = ':';
            memcpy(kept + used, list, span);
            used += span;
        }
        list += span + (list[span] != 0);
    }
    kept[used] = 0;
    if (used)
        setenv("LD_PRELOAD", kept, 1);
    else
        unsetenv("LD_PRELOAD");
    free(kept);
}

__attribute__((constructor)) static void loaded(void) {
    int saved = errno;
    const char *children = secure_getenv("PK11CACHE_CHILDREN");
    if (children && strcmp(children, "no") == 0)
        leave_children_alone();
    if (secure_getenv("PK11CACHE_REPORT") || secure_getenv("PK11CACHE_VERBOSE"))
        root_load();
    errno = saved;
}

/* By now NSS and NSPR may be gone: neither is touched. */
__attribute__((destructor)) static void unloaded(void) {
    housekeeper_stop();
    if (options.report.text && options.report.text[0] && atomic_load(&process.mode) != MODE_INERT)
        report_write(options.report.text);
}
