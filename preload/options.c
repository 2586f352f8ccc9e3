#include "preload/options.h"
#include "preload/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name;

struct options options;

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

static void load(struct option_value *value, const char *variable, enum option_kind kind, const char *standard,
                 const char *range) {
    const char *text = secure_getenv(variable);
    option_parse(kind, range, standard, &value->number);
    value->text = standard;
    if (!text)
        return;
    if (!option_parse(kind, range, text, &value->number)) {
        say("%s=%s is not one of %s: %s is used", variable, text, range, standard);
        return;
    }
    value->text = text;
    value->from_environment = true;
}

void options_load(void) {
    int saved = errno;
#define OPTION(id, variable, kind, standard, range, help) load(&options.id, variable, kind, standard, range);
#include "preload/options.def"
#undef OPTION
    if (options.verbose.number && options_select_program()) {
#define OPTION(id, variable, kind, standard, range, help)                                                              \
    say("%s=%s (%s)", variable, options.id.text, options.id.from_environment ? "environment" : "default");
#include "preload/options.def"
#undef OPTION
    }
    errno = saved;
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
