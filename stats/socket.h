/* socket.h - the stats socket. All of it runs in the helper thread, but for socket_remove.
 *
 * The helper has a table of file descriptors of its own (unshare(CLONE_FILES)), in which nothing else is open: the
 * program can neither close ours, nor meet their numbers, nor inherit them over fork or exec, and we hold none of its
 * files open. */
#ifndef PK11CACHE_SOCKET_H
#define PK11CACHE_SOCKET_H

#include <stdbool.h>

/* Make the socket, once per process; anything that is in the way is said in one line on stderr, and there is none.
 * Afterwards the thread has no other descriptor open, and stdin to stderr are /dev/null. */
void socket_open(void);

/* Wait for clients, `milliseconds` at most, and serve those that came. */
void socket_serve(int milliseconds);

/* At the process's exit: remove the path, if it is this process's own. Any thread. */
void socket_remove(void);

/* Where it is; "" without one. The helper thread. */
const char *socket_path(void);

#endif
