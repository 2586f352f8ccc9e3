#include "stat_page.h"
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_head(const struct watched *w) {
    const struct view *v = &w->now;
    char uptime[FORMATTED], rate[FORMATTED], percent[FORMATTED];
    printf("%s, process %d, up %s: pk11cache %s, NSS %s, engine %s, mode %s\n", v->program, (int)w->process.pid,
           format_uptime(uptime, v->uptime), v->version, v->nss, v->engine, v->mode);
    printf("socket %s\n", w->process.socket);
    printf("%llu calls (%s/s since the %s), %s %% hits, %llu misses, %llu bypasses\n\n", v->calls,
           format_count(rate, w->rates.calls_a_second), v->since_reset > 0 ? "reset" : "start",
           format_percent(percent, w->rates.hit_percent), v->misses, v->bypasses);
}

/* "name value unit help": is the value 0? */
static bool is_zero(const char *line) {
    const char *value = line + strcspn(line, " ");
    value += strspn(value, " ");
    return value[0] == '0' && (value[1] == ' ' || value[1] == 0);
}

/* The table is the library's: it knows the counters of its version, and what each means. */
static void print_table(char *table, bool all) {
    char *rest = NULL;
    for (char *line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (all || !is_zero(line))
            puts(line);
}

bool stat_page(const struct watched *w, bool all) {
    char *table = socket_ask_one(&w->process, "show stat");
    if (!table)
        return false;
    print_head(w);
    print_table(table, all);
    free(table);
    return true;
}
