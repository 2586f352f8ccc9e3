/* socket_connect.h - reaching a stats socket, wherever its process has it. */
#ifndef PK11CACHE_SOCKET_CONNECT_H
#define PK11CACHE_SOCKET_CONNECT_H

#include "process.h"

/* A connected, non-blocking socket. -1 with a problem: a sentence that names the path and the remedy. -1 without one:
 * its queue is full, try again. */
int socket_connect(const struct process *process, char *problem, size_t size);

#endif
