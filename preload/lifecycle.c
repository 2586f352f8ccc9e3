/* Load and unload. Everything else is lazy, so that hooks called before our constructor find things right. */
#include "preload/libc.h"
#include "preload/cache.h"
#include "preload/options.h"
#include "stats/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_ours(const char *entry, size_t length) {
    static const char name[] = "libpk11cache.so";
    size_t n = sizeof name - 1;
    return length >= n && memcmp(entry + length - n, name, n) == 0 && (length == n || entry[length - n - 1] == '/');
}

static void remove_variable(char **entry) {
    do
        entry[0] = entry[1];
    while (*entry++);
}

/* Our entries go from the list, the others stay. It only gets shorter, and is written where it is. */
static void drop_ours(char *list) {
    char *to = list, *from = list;
    while (*from) {
        size_t span = strcspn(from, ": ");
        char *next = from + span + (from[span] != 0);
        if (span && !is_ours(from, span)) {
            if (to != list)
                *to++ = ':';
            memmove(to, from, span);
            to += span;
        }
        from = next;
    }
    *to = 0;
}

/* PK11CACHE_CHILDREN=no: take our entry out of LD_PRELOAD. In place, without setenv: programs such as bash bring their
 * own, which is not ready before main. */
static void leave_children_alone(void) {
    static const char name[] = "LD_PRELOAD=";
    for (char **entry = environ; entry && *entry; entry++) {
        if (strncmp(*entry, name, sizeof name - 1) != 0)
            continue;
        drop_ours(*entry + sizeof name - 1);
        if (!(*entry)[sizeof name - 1])
            remove_variable(entry);
        return;
    }
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
