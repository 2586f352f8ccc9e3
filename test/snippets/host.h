/* host.h - the program that runs a snippet in a setting. It is linked with the snippets, or loads them; itself it knows
 * nothing of NSS. */
#ifndef SNIPPET_HOST_H
#define SNIPPET_HOST_H

#include <stdbool.h>

enum { HOST_BROKEN = 99 }; /* exit status: the setting could not be made; says why on stderr */

/* The setting before main: where SNIPPET_EARLY says "WHEN NAME", run that snippet. */
void host_early(const char *when);

/* One of limits.c: take something away from this process, and make sure that it is gone. */
bool limit_seccomp(void); /* socket(2) fails */
bool limit_killing(void); /* what a helper would need (socket, unshare, membarrier) kills */
bool limit_nproc(void);   /* no thread, no process */
bool limit_nofile(void);  /* no descriptor */
void limit_nofile_end(void);
bool limit_secure(void); /* the loader did run it with AT_SECURE */

#endif
