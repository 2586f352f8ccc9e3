/* drive.h - for the tests of the stats socket: a live program with the preload, and its socket. Failures end the test.
 */
#ifndef PK11CACHE_TEST_DRIVE_H
#define PK11CACHE_TEST_DRIVE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct live {
    pid_t pid;
    FILE *to, *from;
    char socket[256], folder[64], errors[128]; /* its stderr is a file */
};

/* Start build/…/live with `threads`; `environment` (NULL-ended) is added, with "PK11CACHE_SOCKET=<folder>/s" unless one
 * of it names the variable. Waits for "ready". */
struct live live_start(unsigned threads, const char *const *environment);
/* Send a line; returns the first number of its "done A B", the second must be 0. */
long live_tell(struct live *live, const char *line);
/* The same in two halves. */
void live_send(struct live *live, const char *line);
long live_await(struct live *live);
/* End it by the end of its stdin; it must exit 0. */
void live_end(struct live *live);
/* How often `text` is on its stderr. */
unsigned live_said(const struct live *live, const char *text);

/* Connect, waiting up to five seconds for the socket to come; -1 if it does not. */
int socket_connect(const char *path);
bool socket_comes(const char *path);
/* Send a line and read the answer to its end; to be freed. */
char *ask(const char *path, const char *line);
char *ask_on(int fd, const char *text, size_t length);
/* The number after `name` in the answer; fails when it is not there. */
unsigned long long number_in(const char *answer, const char *name);

/* The path of this test's `live` and library, from the environment of ctest. */
const char *need_env(const char *name);
double seconds_now(void);

#endif
