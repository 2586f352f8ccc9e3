#include "top.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char top_sort_keys[] = "p n c h 5 9 k e m u"; /* in the columns' order */

enum row_column top_column_of_key(int key) {
    const char *at = key > ' ' && key < 127 ? strchr(top_sort_keys, key) : NULL;
    return at ? (enum row_column)((at - top_sort_keys) / 2) : ROW_COLUMNS;
}

static double number_of(const struct watched *w, const struct top *top) {
    if (!w->seen || *w->problem)
        return NAN;
    switch (top->sort) {
    case ROW_CALLS:
        return w->rates.calls_a_second;
    case ROW_HITS:
        return w->rates.hit_percent;
    case ROW_P50:
        return w->rates.p50[top->call];
    case ROW_P99:
        return w->rates.p99[top->call];
    case ROW_KEYS:
        return (double)w->now.keys;
    case ROW_ENGINES:
        return (double)w->now.engines;
    default:
        return w->now.uptime;
    }
}

/* The largest first. */
static int compare_numbers(double a, double b) {
    return (a < b) - (a > b);
}

/* Names and process numbers: the smallest first. */
static int compare(const struct watched *a, const struct watched *b, const struct top *top) {
    switch (top->sort) {
    case ROW_PID:
        return (a->process.pid > b->process.pid) - (a->process.pid < b->process.pid);
    case ROW_PROGRAM:
        return strcmp(a->now.program, b->now.program);
    case ROW_ENGINE:
        return strcmp(a->now.engine, b->now.engine);
    default:
        return compare_numbers(number_of(a, top), number_of(b, top));
    }
}

static bool is_unknown(const struct watched *w, const struct top *top) {
    bool by_text = top->sort == ROW_PID || top->sort == ROW_PROGRAM || top->sort == ROW_ENGINE;
    return by_text ? !w->seen && top->sort != ROW_PID : isnan(number_of(w, top));
}

static int in_order(const void *left, const void *right, void *order) {
    const struct watched *a = left, *b = right;
    const struct top *top = order;
    int unknown = is_unknown(a, top) - is_unknown(b, top);
    if (unknown)
        return unknown;
    int result = is_unknown(a, top) ? 0 : compare(a, b, top);
    if (result)
        return top->upside_down ? -result : result;
    return (a->process.pid > b->process.pid) - (a->process.pid < b->process.pid);
}

void top_sort(struct top *top) {
    qsort_r(top->watch.items, top->watch.count, sizeof *top->watch.items, in_order, top);
}
