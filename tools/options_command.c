/* `pk11cache options`: the table of preload/options.def. With --markdown as README.md has it. */
#include "command.h"

#include <stdio.h>
#include <string.h>

/* A "|" would end a table's cell. */
static const char *markdown_range(const char *range) {
    static char text[256];
    size_t used = 0;
    for (; *range && used + 6 < sizeof text; range++) {
        if (*range == '|') {
            memcpy(text + used, ", ", 2);
            used += 2;
        } else {
            text[used++] = *range;
        }
    }
    text[used] = 0;
    return text;
}

int command_options(int argc, char **argv) {
    bool markdown = argc == 2 && !strcmp(argv[1], "--markdown");
    if (argc > 1 && !markdown) {
        bool help = !strcmp(argv[1], "--help");
        fprintf(help ? stdout : stderr, "Usage: pk11cache options [--markdown]\n");
        return help ? 0 : 2;
    }
    if (markdown)
        puts("| variable | default | values | meaning |\n| --- | --- | --- | --- |");
#define OPTION(id, variable, kind, standard, range, when, help)                                                              \
    if (markdown)                                                                                                      \
        printf("| `%s` | %s | %s | %s |\n", variable, *standard ? standard : "unset", markdown_range(range), help);     \
    else                                                                                                               \
        printf("%s=%s\n    %s (%s)\n", variable, standard, help, range);
#include "preload/options.def"
#undef OPTION
    return 0;
}
