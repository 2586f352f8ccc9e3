#include "row.h"
#include "format.h"

#include <stdio.h>
#include <string.h>

/* The widths and the blanks between them make ROW_WIDTH. A name stands left in its column, a number right. */
static const struct {
    int width;
    const char *heading[VIEW_CALLS];
} columns[ROW_COLUMNS] = {
    [ROW_PID] = {7, {"PID", "PID"}},           [ROW_PROGRAM] = {-13, {"PROGRAM", "PROGRAM"}},
    [ROW_CALLS] = {7, {"CALLS/s", "CALLS/s"}}, [ROW_HITS] = {6, {"HIT %", "HIT %"}},
    [ROW_P50] = {7, {"cre p50", "op p50"}},    [ROW_P99] = {7, {"cre p99", "op p99"}},
    [ROW_KEYS] = {5, {"KEYS", "KEYS"}},        [ROW_ENGINES] = {7, {"ENGINES", "ENGINES"}},
    [ROW_ENGINE] = {-6, {"ENGINE", "ENGINE"}}, [ROW_UPTIME] = {6, {"UP", "UP"}},
};

static int width_of(enum row_column column, int width) {
    int extra = width > ROW_WIDTH ? width - ROW_WIDTH : 0;
    return column == ROW_PROGRAM ? columns[column].width - (extra < 50 ? extra : 50) : columns[column].width;
}

static int place_of(enum row_column column, int width) {
    int at = 0;
    for (int i = 0; i < (int)column; i++) {
        int one = width_of((enum row_column)i, width);
        at += (one < 0 ? -one : one) + 1;
    }
    return at;
}

/* One cell, cut to its column. */
static char *cell(char to[CELL_SIZE], enum row_column column, int width, const char *text) {
    int room = width_of(column, width);
    snprintf(to, CELL_SIZE, "%*.*s", room, room < 0 ? -room : room, text);
    return to;
}

char *row_heading(char to[CELL_SIZE], enum row_column column, enum view_call call, int width, int *at) {
    if (at)
        *at = place_of(column, width);
    return cell(to, column, width, row_title(column, call));
}

const char *row_title(enum row_column column, enum view_call call) {
    return columns[column].heading[call];
}

char *row_headings(char to[ROW_SIZE], enum view_call call, int width) {
    char one[CELL_SIZE];
    size_t used = 0;
    for (int i = 0; i < ROW_COLUMNS; i++)
        used += (size_t)snprintf(to + used, ROW_SIZE - used, "%s%s", i ? " " : "",
                                 row_heading(one, (enum row_column)i, call, width, NULL));
    return to;
}

static const char *value(char to[FORMATTED], const struct watched *w, enum row_column column, enum view_call call) {
    switch (column) {
    case ROW_PID:
        snprintf(to, FORMATTED, "%d", (int)w->process.pid);
        return to;
    case ROW_PROGRAM:
        return w->now.program;
    case ROW_CALLS:
        return format_count(to, w->rates.calls_a_second);
    case ROW_HITS:
        return format_percent(to, w->rates.hit_percent);
    case ROW_P50:
        return format_ns(to, w->rates.p50[call]);
    case ROW_P99:
        return format_ns(to, w->rates.p99[call]);
    case ROW_KEYS:
        snprintf(to, FORMATTED, "%llu", w->now.keys);
        return to;
    case ROW_ENGINES:
        snprintf(to, FORMATTED, "%llu", w->now.engines);
        return to;
    case ROW_ENGINE: /* what it does instead, when it does not serve */
        return strcmp(w->now.mode, "up") == 0 ? w->now.engine : w->now.mode;
    default:
        return format_uptime(to, w->now.uptime);
    }
}

static char *problem_row(char to[ROW_SIZE], const struct watched *w, int width) {
    const char *name = w->seen ? w->now.program : *w->process.name ? w->process.name : "?";
    char pid[16], left[CELL_SIZE], right[CELL_SIZE];
    snprintf(pid, sizeof pid, "%d", (int)w->process.pid);
    snprintf(to, ROW_SIZE, "%s %s %.350s", cell(left, ROW_PID, width, pid), cell(right, ROW_PROGRAM, width, name),
             w->problem);
    if (width > 0 && (size_t)width < strlen(to))
        to[width] = 0;
    return to;
}

char *row_format(char to[ROW_SIZE], const struct watched *w, enum view_call call, int width) {
    char one[CELL_SIZE], text[FORMATTED];
    size_t used = 0;
    if (*w->problem || !w->seen)
        return problem_row(to, w, width);
    for (int i = 0; i < ROW_COLUMNS; i++)
        used += (size_t)snprintf(to + used, ROW_SIZE - used, "%s%s", i ? " " : "",
                                 cell(one, (enum row_column)i, width, value(text, w, (enum row_column)i, call)));
    return to;
}
