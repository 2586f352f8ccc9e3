/* socket.h - asking stats sockets: one line goes, the answer comes, all within a deadline. */
#ifndef PK11CACHE_SOCKET_H
#define PK11CACHE_SOCKET_H

#include "process.h"

enum { ASK_MS = 5000 }; /* the deadline of a command that asks one process */

struct ask {
    const struct process *process; /* its socket is known */
    pid_t peer;                    /* who listens there, 0 when that can't be seen */
    char *answer;                  /* NULL, or whole: it ends with a newline; to be freed by ask_free */
    size_t length;
    char problem[1400]; /* empty, or a sentence that names the socket and the remedy */
};

/* Ask all of them at once. An answer that begins with "error: " becomes the problem. `milliseconds` is for all. */
void socket_ask(struct ask *asks, size_t count, const char *command, int milliseconds);

void ask_free(struct ask *ask);

/* One process: the answer, to be freed; NULL after a complaint. */
char *socket_ask_one(const struct process *process, const char *command);

#endif
