/* The sockets of channel.h. */
#include "channel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

union place {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_in port;
};

static int fault(const char *address, const char *what) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, address, what);
    return -1;
}

/* The length of the place, or 0 after a message. */
static socklen_t parse(const char *address, union place *place) {
    char *end;
    memset(place, 0, sizeof *place);
    if (strchr(address, '/')) {
        place->path.sun_family = AF_UNIX;
        if (strlen(address) < sizeof place->path.sun_path) {
            strcpy(place->path.sun_path, address);
            return sizeof place->path;
        }
        fault(address, "the path is too long for a socket");
        return 0;
    }
    errno = 0;
    unsigned long port = strtoul(address, &end, 10);
    if (errno || end == address || *end || port > 65535) {
        fault(address, "an address is a path with a slash in it, or a TCP port on 127.0.0.1");
        return 0;
    }
    place->port.sin_family = AF_INET;
    place->port.sin_port = htons((uint16_t)port);
    place->port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return sizeof place->port;
}

/* A socket without a listener is a dead server's. */
static void remove_dead(const union place *place) {
    struct stat status;
    if (lstat(place->path.sun_path, &status) || !S_ISSOCK(status.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, &place->any, sizeof place->path) && errno == ECONNREFUSED)
        unlink(place->path.sun_path);
    close(fd);
}

int address_listen(const char *address) {
    union place place;
    socklen_t length = parse(address, &place);
    int one = 1, fd = length ? socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (!length)
        return -1;
    if (place.any.sa_family == AF_UNIX)
        remove_dead(&place);
    else
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd >= 0 && bind(fd, &place.any, length) == 0 && listen(fd, 128) == 0)
        return fd;
    fault(address, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int address_connect(const char *address, bool quiet) {
    union place place;
    socklen_t length = parse(address, &place);
    int fd = length ? socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (!length)
        return -1;
    if (fd >= 0 && connect(fd, &place.any, length) == 0) {
        address_no_delay(fd);
        return fd;
    }
    if (!quiet)
        fault(address, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

void address_print(const char *address, int fd, char *text, size_t size) {
    union place place;
    socklen_t length = sizeof place;
    if (strchr(address, '/') || getsockname(fd, &place.any, &length))
        snprintf(text, size, "%s", address);
    else
        snprintf(text, size, "%u", ntohs(place.port.sin_port));
}

void address_no_delay(int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}
