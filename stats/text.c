#include "stats/text.h"
#include "preload/libc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static bool grow(struct text *t, size_t needed) {
    size_t size = t->size ? t->size : 16384;
    while (size < needed)
        size *= 2;
    if (size > TEXT_MAX)
        return false;
    void *data = t->data ? mremap(t->data, t->size, size, MREMAP_MAYMOVE)
                         : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return false;
    t->data = data;
    t->size = size;
    return true;
}

void text_add(struct text *t, const char *format, ...) {
    for (int round = 0; round < 2 && !t->cut; round++) {
        size_t room = t->size - t->used;
        va_list arguments;
        va_start(arguments, format);
        int n = vsnprintf(t->data ? t->data + t->used : NULL, room, format, arguments);
        va_end(arguments);
        if (n >= 0 && (size_t)n < room) {
            t->used += (size_t)n;
            return;
        }
        if (n < 0 || !grow(t, t->used + (size_t)n + 1))
            t->cut = true; /* what fitted in part is not counted in */
    }
}

/* The length of the UTF-8 sequence that `s` begins with, 0 for none. */
static unsigned utf8(const unsigned char *s) {
    unsigned length = s[0] < 0x80 ? 1 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (s[0] >= 0xf5)
        return 0;
    for (unsigned i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

void text_add_quoted(struct text *t, const char *string) {
    text_add(t, "\"");
    for (const unsigned char *s = (const unsigned char *)string; *s;) {
        unsigned length = utf8(s);
        if (*s == '"' || *s == '\\')
            text_add(t, "\\%c", *s);
        else if (!length || *s < ' ' || *s == 0x7f)
            text_add(t, "?");
        else
            text_add(t, "%.*s", (int)length, (const char *)s);
        s += length ? length : 1;
    }
    text_add(t, "\"");
}

void text_free(struct text *t) {
    int saved = errno;
    if (t->data)
        munmap(t->data, t->size);
    *t = (struct text){0};
    errno = saved;
}
