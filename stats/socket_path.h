/* socket_path.h - where the stats socket goes, and making it there. */
#ifndef PK11CACHE_SOCKET_PATH_H
#define PK11CACHE_SOCKET_PATH_H

#include <sys/un.h>

/* A listening socket of mode 0600 at the first place that there is, its path in *address; -1: none, and why was said.
 * Order: PK11CACHE_SOCKET; $RUNTIME_DIRECTORY; /run/pk11cache; $XDG_RUNTIME_DIR/pk11cache. Never /tmp. A socket that
 * nobody answers on is replaced. */
int socket_path_listen(struct sockaddr_un *address);

#endif
