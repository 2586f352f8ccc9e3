#include "stats/report.h"
#include "preload/root.h"
#include "preload/say.h"
#include "stats/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char *program_invocation_short_name;

struct text {
    char *buffer;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void line(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->buffer + t->used, t->size - t->used, format, arguments);
    va_end(arguments);
    if (n > 0)
        t->used = (size_t)n < t->size - t->used ? t->used + (size_t)n : t->size - 1;
}

size_t report_text(char *buffer, size_t size) {
    struct text t = {buffer, size, 0};
    struct counters sum;
    counters_sum(&sum);
    line(&t, "pk11cache %s\npid %d\nprogram %s\nnss %s\n", PK11CACHE_VERSION, (int)getpid(),
         program_invocation_short_name, root_nss_version());
    line(&t, "calls %llu\nhits %llu\nmisses %llu\nbypasses %llu\n", (unsigned long long)counters_calls(&sum),
         (unsigned long long)counters_hits(&sum), (unsigned long long)counters_misses(&sum),
         (unsigned long long)counters_bypasses(&sum));
#define COUNTER(id, help) line(&t, #id " %llu\n", (unsigned long long)sum.id);
#define BYPASS(id, help) COUNTER(bypass_##id, help)
#include "stats/counters.def"
#undef BYPASS
#undef COUNTER
    line(&t, "keys_live %u\nengines_live %u\n\n", root_keys_live(), root_engines_live());
    return t.used;
}

static void expand_path(const char *path, char *out, size_t size) {
    size_t used = 0;
    for (; *path && used + 12 < size; path++) {
        if (path[0] == '%' && path[1] == 'p') {
            used += (size_t)snprintf(out + used, size - used, "%d", (int)getpid());
            path++;
        } else {
            out[used++] = *path;
        }
    }
    out[used] = 0;
}

void report_write(const char *path) {
    int saved = errno;
    char file[4096], text[8192];
    expand_path(path, file, sizeof file);
    size_t length = report_text(text, sizeof text);
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0 || write(fd, text, length) != (ssize_t)length)
        say("PK11CACHE_REPORT: %s can't be written: %s", file, strerror(errno));
    if (fd >= 0)
        close(fd);
    errno = saved;
}
