/* process_socket.h - the socket that the library's helper thread listens on. */
#ifndef PK11CACHE_PROCESS_SOCKET_H
#define PK11CACHE_PROCESS_SOCKET_H

#include "process.h"

/* For a process that has the library: PROCESS_QUIET, PROCESS_NO_SOCKET, PROCESS_HIDDEN, or PROCESS_SOCKET and the path
 * as that process sees it. */
enum process_state process_socket(pid_t pid, char *path, size_t size);

#endif
