/* row.h - a process as one line of a table, of 80 columns or more; `stat` and `top` have the same. */
#ifndef PK11CACHE_ROW_H
#define PK11CACHE_ROW_H

#include "watch.h"

enum { ROW_WIDTH = 80, ROW_SIZE = 512, CELL_SIZE = 80 };

enum row_column {
    ROW_PID,
    ROW_PROGRAM,
    ROW_CALLS,
    ROW_HITS,
    ROW_P50,
    ROW_P99,
    ROW_KEYS,
    ROW_ENGINES,
    ROW_ENGINE,
    ROW_UPTIME,
    ROW_COLUMNS
};

/* A column's heading, as wide as the column; `call` is the one whose latency is shown. What is beyond ROW_WIDTH goes to
 * the program's name. `at` becomes the column's place in the row, when it is not NULL. Returns `to`. */
char *row_heading(char to[CELL_SIZE], enum row_column column, enum view_call call, int width, int *at);

/* The heading without blanks. */
const char *row_title(enum row_column column, enum view_call call);

/* All headings in a line. Returns `to`. */
char *row_headings(char to[ROW_SIZE], enum view_call call, int width);

/* The row; of a process that has not answered yet the problem. Returns `to`. */
char *row_format(char to[ROW_SIZE], const struct watched *watched, enum view_call call, int width);

#endif
