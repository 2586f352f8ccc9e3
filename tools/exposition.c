#include "exposition.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct family {
    char *name;
    char *help, *type; /* whole lines, or NULL */
    char *samples;
    size_t used, room;
};

static struct family *find(struct exposition *e, const char *name, size_t length) {
    for (size_t i = 0; i < e->count; i++)
        if (strlen(e->families[i].name) == length && strncmp(e->families[i].name, name, length) == 0)
            return &e->families[i];
    if (e->count == e->room) {
        size_t room = e->room ? e->room * 2 : 64;
        struct family *larger = realloc(e->families, room * sizeof *larger);
        if (!larger)
            return NULL;
        e->families = larger;
        e->room = room;
    }
    struct family *family = &e->families[e->count];
    *family = (struct family){.name = strndup(name, length)};
    e->count += family->name != NULL;
    return family->name ? family : NULL;
}

static bool add_text(struct family *f, const char *text, size_t length) {
    if (f->used + length + 1 > f->room) {
        size_t room = (f->used + length + 1) * 2;
        char *larger = realloc(f->samples, room);
        if (!larger)
            return false;
        f->samples = larger;
        f->room = room;
    }
    memcpy(f->samples + f->used, text, length);
    f->used += length;
    f->samples[f->used] = 0;
    return true;
}

/* "# HELP name text", "# TYPE name kind": the first process's are kept. */
static struct family *add_comment(struct exposition *e, const char *line) {
    const char *name = line + strlen("# HELP ");
    struct family *f = find(e, name, strcspn(name, " "));
    char **kept = f && line[2] == 'H' ? &f->help : f ? &f->type : NULL;
    if (kept && !*kept)
        *kept = strdup(line);
    e->failed = e->failed || !kept || !*kept;
    return f;
}

/* A histogram's samples are called by the family with _bucket, _sum or _count behind it. */
static bool belongs(const struct family *f, const char *sample) {
    static const char *const suffixes[] = {"", "_bucket", "_sum", "_count"};
    size_t length = strlen(f->name), whole = strcspn(sample, "{ ");
    if (strncmp(sample, f->name, length) != 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (whole - length == strlen(suffixes[i]) && strncmp(sample + length, suffixes[i], whole - length) == 0)
            return true;
    return false;
}

static bool add_sample(struct family *f, const char *line, pid_t pid) {
    static const char label[] = "{pid=\"";
    const char *at = strstr(line, label);
    char number[16];
    if (!pid || !at)
        return add_text(f, line, strlen(line)) && add_text(f, "\n", 1);
    at += sizeof label - 1;
    const char *rest = at + strcspn(at, "\"");
    int length = snprintf(number, sizeof number, "%d", (int)pid);
    return add_text(f, line, (size_t)(at - line)) && add_text(f, number, (size_t)length) &&
           add_text(f, rest, strlen(rest)) && add_text(f, "\n", 1);
}

/* A name, perhaps labels, and a number at the end: one wrong line, and Prometheus refuses all. */
static bool is_sample(const char *line) {
    size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:0123456789");
    const char *value = strrchr(line, ' ');
    char *end;
    if (!name || !value || (line[name] == '{' ? value[-1] != '}' : line + name != value))
        return false;
    strtod(value + 1, &end);
    return end != value + 1 && *end == 0;
}

void exposition_add(struct exposition *e, char *text, pid_t pid) {
    char *rest = NULL;
    struct family *current = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strncmp(line, "# HELP ", 7) == 0 || strncmp(line, "# TYPE ", 7) == 0) {
            current = add_comment(e, line);
        } else if (is_sample(line)) {
            if (!current || !belongs(current, line))
                current = find(e, line, strcspn(line, "{ "));
            e->failed = !current || !add_sample(current, line, pid) || e->failed;
        }
    }
}

void exposition_add_gauge(struct exposition *e, const char *name, const char *help, double value) {
    char text[512];
    snprintf(text, sizeof text, "# HELP %s %s\n# TYPE %s gauge\n%s %.17g\n", name, help, name, name, value);
    exposition_add(e, text, 0);
}

bool exposition_write(const struct exposition *e, FILE *to) {
    for (size_t i = 0; i < e->count; i++) {
        const struct family *f = &e->families[i];
        if (!f->samples)
            continue;
        if (f->help)
            fprintf(to, "%s\n", f->help);
        if (f->type)
            fprintf(to, "%s\n", f->type);
        fputs(f->samples, to);
    }
    return fflush(to) == 0 && !ferror(to) && !e->failed;
}

void exposition_free(struct exposition *e) {
    for (size_t i = 0; i < e->count; i++) {
        free(e->families[i].name);
        free(e->families[i].help);
        free(e->families[i].type);
        free(e->families[i].samples);
    }
    free(e->families);
    *e = (struct exposition){0};
}
