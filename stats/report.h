/* report.h - the counters as text, appended to the file of PK11CACHE_REPORT when the process exits. */
#ifndef PK11CACHE_REPORT_H
#define PK11CACHE_REPORT_H

#include <stddef.h>

/* Write "name value" lines, ended by an empty line, into buffer; the length, cut at `size`. Calls neither NSS nor
 * malloc. */
size_t report_text(char *buffer, size_t size);

/* Append it to `path` (%p stands for the pid) in one write. A file that can't be written gets one line on stderr. */
void report_write(const char *path);

#endif
