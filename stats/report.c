#include "stats/report.h"
#include "preload/libc.h"
#include "preload/say.h"
#include "stats/show.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    static struct snapshot snapshot; /* large; the process is at its exit, once */
    struct text text = {0};
    char file[4096];
    expand_path(path, file, sizeof file);
    snapshot_take(&snapshot, true);
    show_report(&text, &snapshot);
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0 || write(fd, text.data, text.used) != (ssize_t)text.used)
        say("PK11CACHE_REPORT: %s can't be written: %s", file, strerror(errno));
    if (fd >= 0)
        close(fd);
    text_free(&text);
    errno = saved;
}
