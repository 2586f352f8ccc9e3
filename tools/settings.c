#include "settings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { CHOICE, NUMBER, TEXT };

static const struct {
    const char *variable;
    enum kind kind;
    const char *range;
} settings[] = {
#define OPTION(id, variable, kind, standard, range, when, help) {variable, kind, range},
#include "preload/options.def"
#undef OPTION
};

static bool among(const char *words, const char *word) {
    size_t length = strlen(word);
    for (; *words; words += strcspn(words, "|") + (words[strcspn(words, "|")] != 0))
        if (strcspn(words, "|") == length && !strncmp(words, word, length))
            return true;
    return false;
}

static bool within(const char *range, const char *text) {
    char *end;
    long low = strtol(range, &end, 10), high = strtol(end + strspn(end, "."), NULL, 10);
    errno = 0;
    long number = strtol(text, &end, 10);
    return end != text && !*end && !errno && number >= low && number <= high;
}

const char *setting_problem(const char *setting) {
    static char problem[512];
    size_t length = strcspn(setting, "=");
    if (!setting[length] || strncmp(setting, "PK11CACHE_", 10) != 0)
        return "it takes PK11CACHE_NAME=VALUE";
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = setting + length + 1, *range = settings[i].range;
        if (strlen(settings[i].variable) != length || strncmp(settings[i].variable, setting, length) != 0)
            continue;
        bool fine =
            settings[i].kind == TEXT || (settings[i].kind == CHOICE ? among(range, value) : within(range, value));
        snprintf(problem, sizeof problem, "%s is %s", settings[i].variable, range);
        return fine ? NULL : problem;
    }
    return "there is no such variable";
}
