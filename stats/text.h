/* text.h - text that grows, up to a bound, in pages of its own: the helper thread uses no malloc of its host's. */
#ifndef PK11CACHE_TEXT_H
#define PK11CACHE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t used, size;
    bool cut; /* something did not fit */
};

enum { TEXT_MAX = 8 << 20 };

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string in quotes, escaped as JSON and Prometheus both want it; bytes that are no UTF-8 become '?'. */
void text_add_quoted(struct text *text, const char *string);
void text_free(struct text *text);

#endif
