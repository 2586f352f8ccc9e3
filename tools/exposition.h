/* exposition.h - several processes' Prometheus texts as one: a family's HELP and TYPE once, its samples together. */
#ifndef PK11CACHE_EXPOSITION_H
#define PK11CACHE_EXPOSITION_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct exposition {
    struct family *families; /* in the order of their first appearance */
    size_t count, room;
    bool failed; /* no memory */
};

/* Add what a process answered to `show metrics`; the text is changed. With a `pid` (not 0) that one is the label, since
 * in a container a process may have the same number as another one elsewhere. */
void exposition_add(struct exposition *exposition, char *text, pid_t pid);

/* Add one gauge without labels. */
void exposition_add_gauge(struct exposition *exposition, const char *name, const char *help, double value);

/* False when it can't be written, or when memory ran out before. */
bool exposition_write(const struct exposition *exposition, FILE *to);

void exposition_free(struct exposition *exposition);

#endif
