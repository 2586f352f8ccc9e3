#include "preload/options.h"
#include "preload/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name;

struct options options;

const struct option_entry option_list[] = {
#define OPTION(id, variable, kind, standard, range, when, help)                                                        \
    {#id, variable, standard, range, help, kind, when, &options.id},
#include "preload/options.def"
#undef OPTION
};
const unsigned option_list_size = sizeof option_list / sizeof *option_list;

/* The place of word in "a|b|c", or -1. */
static long choice_index(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (long index = 0;; index++) {
        size_t span = strcspn(choices, "|");
        if (span == length && memcmp(choices, word, span) == 0)
            return index;
        if (!choices[span])
            return -1;
        choices += span + 1;
    }
}

bool option_parse(enum option_kind kind, const char *range, const char *text, long *number) {
    if (kind == TEXT)
        return true;
    if (kind == CHOICE) {
        long index = choice_index(range, text);
        if (index >= 0)
            *number = index;
        return index >= 0;
    }
    char *end;
    long low = strtol(range, &end, 10), high = strtol(end + 2, NULL, 10);
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || text[0] == ' ' || text[0] == '+' || value < low || value > high)
        return false;
    *number = value;
    return true;
}

static void load(const struct option_entry *o) {
    const char *text = secure_getenv(o->variable);
    long number = 0;
    option_parse(o->kind, o->range, o->standard, &number);
    o->value->text = o->standard;
    if (text && option_parse(o->kind, o->range, text, &number)) {
        o->value->text = text;
        o->value->source = FROM_ENVIRONMENT;
    } else if (text) {
        say("%s=%s is not one of %s: %s is used", o->variable, text, o->range, o->standard);
    }
    atomic_store(&o->value->number, number);
}

void options_load(void) {
    int saved = errno;
    for (unsigned i = 0; i < option_list_size; i++)
        load(&option_list[i]);
    for (unsigned i = 0; i < option_list_size && options.verbose.number && options_select_program(); i++)
        say("%s=%s (%s)", option_list[i].variable, option_list[i].value->text,
            option_list[i].value->source == FROM_ENVIRONMENT ? "environment" : "default");
    errno = saved;
}

const char *option_text(const struct option_entry *o, char *buffer, size_t size) {
    long number = option(o->value);
    if (o->kind == TEXT)
        return o->value->text;
    if (o->kind == NUMBER) {
        snprintf(buffer, size, "%ld", number);
        return buffer;
    }
    const char *word = o->range;
    for (; number > 0; number--)
        word += strcspn(word, "|") + 1;
    snprintf(buffer, size, "%.*s", (int)strcspn(word, "|"), word);
    return buffer;
}

const char *option_set(const struct option_entry *o, const char *text, char *problem, size_t size) {
    long number;
    if (o->when == START)
        snprintf(problem, size, "%s is read at the start only: set %s and restart", o->name, o->variable);
    else if (!option_parse(o->kind, o->range, text, &number))
        snprintf(problem, size, "%s takes %s", o->name, o->range);
    else {
        atomic_store(&o->value->number, number);
        o->value->source = FROM_SOCKET;
        return NULL;
    }
    return problem;
}

static bool list_has(const char *list, const char *name, size_t at_most) {
    size_t length = strnlen(name, at_most);
    while (*list) {
        size_t span = strcspn(list, ",");
        if (span == length && memcmp(list, name, span) == 0)
            return true;
        list += span + (list[span] == ',');
    }
    return false;
}

bool options_select_program(void) {
    const char *name = program_invocation_short_name ? program_invocation_short_name : "";
    return !options.only.text[0] || list_has(options.only.text, name, 4096) || list_has(options.only.text, name, 15);
}
