/* `pk11cache options` and `pk11cache counters`: the lists of preload/options.def and stats/counters.def, for people,
 * for README (--markdown) and for the manual page (--man). */
#include "command.h"

#include <stdio.h>
#include <string.h>

enum format { PLAIN, MARKDOWN, MAN };

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

/* 0, or the exit status. */
static int read_format(int argc, char **argv, enum format *format) {
    *format = argc == 2 && !strcmp(argv[1], "--markdown") ? MARKDOWN
              : argc == 2 && !strcmp(argv[1], "--man")    ? MAN
                                                          : PLAIN;
    if (argc == 1 || *format != PLAIN)
        return 0;
    bool help = !strcmp(argv[1], "--help");
    fprintf(help ? stdout : stderr, "Usage: %s [--markdown|--man]\n", argv[0]);
    return help ? -1 : 2;
}

static void print_option(enum format format, const char *variable, const char *standard, const char *range, bool live,
                         const char *help) {
    const char *shown = *standard ? standard : "unset";
    if (format == MARKDOWN)
        printf("| `%s` | %s | %s | %s |\n", variable, shown, markdown_range(range), help);
    else if (format == MAN)
        printf(".TP\n.B %s\n%s.\nValues: %s; default: %s%s.\n", variable, help, markdown_range(range), shown,
               live ? "; \\fBset\\fR changes it live" : "");
    else
        printf("%s=%s\n    %s (%s%s)\n", variable, standard, help, range, live ? "; can be set live" : "");
}

int command_options(int argc, char **argv) {
    enum { START, LIVE };
    enum format format;
    int status = read_format(argc, argv, &format);
    if (status)
        return status < 0 ? 0 : status;
    if (format == MARKDOWN)
        puts("| variable | default | values | meaning |\n| --- | --- | --- | --- |");
#define OPTION(id, variable, kind, standard, range, when, help)                                                        \
    print_option(format, variable, standard, range, when == LIVE, help);
#include "preload/options.def"
#undef OPTION
    return 0;
}

static void print_counter(enum format format, const char *name, const char *metric, const char *suffix,
                          const char *labels, const char *unit, const char *help) {
    const char *open = *labels ? "{" : "", *close = *labels ? "}" : "";
    if (format == MARKDOWN)
        printf("| `%s` | `pk11cache_%s%s%s%s%s` | %s | %s |\n", name, metric, suffix, open, labels, close, unit, help);
    else if (format == MAN)
        printf(".TP\n.B %s\n%s (%s).\n.br\npk11cache_%s%s%s%s%s\n", name, help, unit, metric, suffix, open, labels,
               close);
    else
        printf("%-34s %-9s %s\n", name, unit, help);
}

#define LABELS(mechanism, direction) "mechanism=\"" #mechanism "\",direction=\"" #direction "\""

int command_counters(int argc, char **argv) {
    enum format format;
    int status = read_format(argc, argv, &format);
    if (status)
        return status < 0 ? 0 : status;
    if (format == MARKDOWN)
        puts("| name | Prometheus | unit | meaning |\n| --- | --- | --- | --- |");
#define COUNTER(id, metric, labels, unit, help) print_counter(format, #id, metric, "_total", labels, unit, help);
#define ALIAS(id, of, metric, labels, unit, help) COUNTER(id, metric, labels, unit, help)
#define GAUGE(id, metric, unit, help) print_counter(format, #id, metric, "", "", unit, help);
#define OPERATION(mechanism, direction, name)                                                                          \
    print_counter(format, "operations_" #mechanism "_" #direction, "operations", "_total",                             \
                  LABELS(mechanism, direction), "calls", name ": PK11_CipherOp and PK11_DigestOp of cached contexts"); \
    print_counter(format, "bytes_" #mechanism "_" #direction, "operation_bytes", "_total",                             \
                  LABELS(mechanism, direction), "bytes", name ": bytes given to them");
#include "stats/counters.def"
    return 0;
}
