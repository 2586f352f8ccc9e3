/* private_files.h - a table of file descriptors that is a thread's own. */
#ifndef PK11CACHE_PRIVATE_FILES_H
#define PK11CACHE_PRIVATE_FILES_H

#include <stdbool.h>

/* From here on this thread has a copy of the process's descriptors: what either opens or closes the other doesn't see.
 * False where the kernel refuses. */
bool private_files_begin(void);

/* Close every copy but `keep` (-1: all), and open /dev/null in place of stdin, stdout and stderr. Until then a pipe
 * that the program closes stays open here. Closing a copy releases no lock of the program's: record locks belong to
 * the table (fcntl(2), unshare(2)). */
void private_files_only(int keep);

#endif
