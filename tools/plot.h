/* plot.h - drawing with gnuplot: a script on its standard input. */
#ifndef PK11CACHE_PLOT_H
#define PK11CACHE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

enum { PLOT_WIDTH = 800 };

/* What is wrong with this name of a plot, or NULL: it must end in .svg or .png. */
const char *plot_problem(const char *file);

/* Whether gnuplot is installed; false after a complaint. */
bool plot_possible(void);

/* A gnuplot that will draw this file, PLOT_WIDTH pixels wide, with terminal and output set; NULL after a complaint. The
 * script is written to it, then plot_close waits: false, after a complaint, when gnuplot failed. One at a time. */
FILE *plot_open(const char *file, int height);
bool plot_close(FILE *script, const char *file);

/* The text in gnuplot's single quotes. */
void plot_quote(FILE *script, const char *text);

#endif
