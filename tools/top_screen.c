#include "command.h"
#include "format.h"
#include "top.h"

#include <math.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 2, FOOT = 1 }; /* lines */

static SCREEN *screen;

bool top_screen_open(void) {
    const char *terminal = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        complain("top needs a terminal; `pk11cache stat --watch 2` prints lines");
        return false;
    }
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        complain("TERM=%s is no terminal that ncurses knows; `pk11cache stat --watch 2` prints lines",
                 terminal ? terminal : "");
        return false;
    }
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    return true;
}

void top_screen_close(void) {
    endwin();
    delscreen(screen);
    screen = NULL;
}

static void draw_line(int y, const char *text) {
    mvaddnstr(y, 0, text, COLS);
}

/* Totals of those that answered. */
static void draw_head(const struct top *top) {
    char text[ROW_SIZE], rate[FORMATTED], percent[FORMATTED];
    double calls = 0, hits = 0, rates = 0;
    for (size_t i = 0; i < top->watch.count; i++) {
        const struct watched *w = &top->watch.items[i];
        if (*w->problem || !w->seen || !w->rates.calls)
            continue;
        calls += (double)w->rates.calls;
        hits += (double)w->rates.calls * w->rates.hit_percent / 100;
        rates += w->rates.calls_a_second;
    }
    snprintf(text, sizeof text, "%zu process%s, %s calls/s, %s %% hits; by %s%s; every %g s", top->watch.count,
             top->watch.count == 1 ? "" : "es", format_count(rate, rates),
             format_percent(percent, calls > 0 ? 100 * hits / calls : NAN), row_title(top->sort, top->call),
             top->upside_down ? " reversed" : "", top->seconds);
    draw_line(0, text);
}

static void draw_headings(const struct top *top) {
    char text[ROW_SIZE];
    int at;
    attron(A_REVERSE);
    mvhline(1, 0, ' ', COLS);
    draw_line(1, row_headings(text, top->call, COLS));
    row_heading(text, top->sort, top->call, COLS, &at);
    if (at < COLS) {
        attron(A_BOLD | A_UNDERLINE);
        mvaddnstr(1, at, text, COLS - at);
        attroff(A_BOLD | A_UNDERLINE);
    }
    attroff(A_REVERSE);
}

static void draw_foot(const struct top *top, size_t shown) {
    char text[ROW_SIZE];
    if (shown < top->watch.count)
        snprintf(text, sizeof text, "q quit, o create/cipher_op, sort: %s; up, down: %zu-%zu of %zu", top_sort_keys,
                 top->first + 1, top->first + shown, top->watch.count);
    else
        snprintf(text, sizeof text, "q quit, o create/cipher_op, sort: %s (again or r: reversed)", top_sort_keys);
    draw_line(LINES - 1, text);
}

void top_screen_draw(struct top *top) {
    char text[ROW_SIZE];
    size_t room = LINES > HEAD + FOOT ? (size_t)(LINES - HEAD - FOOT) : 0, count = top->watch.count;
    size_t shown = count < room ? count : room;
    if (top->first + shown > count)
        top->first = count - shown;
    erase();
    draw_head(top);
    draw_headings(top);
    for (size_t i = 0; i < shown; i++)
        draw_line(HEAD + (int)i, row_format(text, &top->watch.items[top->first + i], top->call, COLS));
    if (!count && room)
        draw_line(HEAD, top->watch.why);
    draw_foot(top, shown);
    refresh();
}
