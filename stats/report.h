/* report.h - the counters as text, appended to the file of PK11CACHE_REPORT when the process exits. */
#ifndef PK11CACHE_REPORT_H
#define PK11CACHE_REPORT_H

/* Append show_report's lines to `path` (%p stands for the pid) in one write. A file that can't be written gets one line
 * on stderr. Calls neither NSS nor malloc. */
void report_write(const char *path);

#endif
