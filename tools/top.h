/* top.h - the parts of `pk11cache top`: what it shows, in which order, and the screen. */
#ifndef PK11CACHE_TOP_H
#define PK11CACHE_TOP_H

#include "row.h"

struct top {
    struct watch watch;
    double seconds; /* from look to look */
    enum view_call call;
    enum row_column sort;
    bool upside_down; /* against the column's usual order */
    size_t first;     /* the row at the top, after scrolling */
};

/* Put watch.items in the order that is wanted. What is not known comes last. */
void top_sort(struct top *top);

/* The column that a key sorts by; ROW_COLUMNS when it is none. */
enum row_column top_column_of_key(int key);
extern const char top_sort_keys[];

/* Take over the terminal. False after a complaint. */
bool top_screen_open(void);
/* Draw all. top->first is moved to where it shows as much as there is. */
void top_screen_draw(struct top *top);
/* The terminal is as it was. */
void top_screen_close(void);

#endif
