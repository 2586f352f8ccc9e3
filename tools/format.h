/* format.h - numbers as a person reads them, in a bounded width; "-" for what is not a number. Each returns `to`. */
#ifndef PK11CACHE_FORMAT_H
#define PK11CACHE_FORMAT_H

enum { FORMATTED = 24 };

char *format_count(char to[FORMATTED], double value);    /* 950, 12.3k, 1.20M: at most 6 characters */
char *format_ns(char to[FORMATTED], double nanoseconds); /* 950 ns, 12.3 us, 1.20 s: at most 7 */
char *format_percent(char to[FORMATTED], double share);  /* 99.98: never rounded up to 100.00; at most 6 */
char *format_uptime(char to[FORMATTED], double seconds); /* 59s, 12m05, 3h07, 12d04: at most 6 up to 27 years */

/* Replace what is not printable ASCII by "?": a program's name must not steer the terminal. */
void format_printable(char *text);

#endif
