#include "stats/socket_path.h"
#include "preload/libc.h"
#include "preload/options.h"
#include "preload/say.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 64, LOCK_TRIES = 100, PATH_SIZE = 4096 };

/* The name of the process, as ps shows it: that of its first thread. */
static void process_name(char name[16]) {
    ssize_t length = 0;
    int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, name, 15);
        close(fd);
    }
    name[length > 0 ? length : 0] = 0;
    name[strcspn(name, "\n")] = 0;
    for (char *c = name; *c; c++)
        if (*c == '/' || *c <= ' ')
            *c = '_';
    if (!*name)
        strcpy(name, "unknown");
}

static void expand_pid(const char *from, char *to) {
    size_t used = 0;
    while (*from && used + 16 < PATH_SIZE) {
        if (from[0] == '%' && from[1] == 'p') {
            used += (size_t)snprintf(to + used, PATH_SIZE - used, "%d", (int)getpid());
            from += 2;
        } else {
            to[used++] = *from++;
        }
    }
    to[used] = 0;
}

static bool can_write(const char *directory) {
    return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Where the socket is to be. False: nowhere. */
static bool choose(char *path) {
    const char *runtime = secure_getenv("RUNTIME_DIRECTORY"), *user = secure_getenv("XDG_RUNTIME_DIR");
    char name[16], directory[PATH_SIZE - 64];
    if (options.socket.text[0]) {
        expand_pid(options.socket.text, path);
        return true;
    }
    if (runtime && *runtime) { /* systemd lists several with ":" between */
        snprintf(path, PATH_SIZE, "%.*s/pk11cache.%d.sock", (int)strcspn(runtime, ":"), runtime, (int)getpid());
        return true;
    }
    process_name(name);
    snprintf(directory, sizeof directory, "/run/pk11cache");
    if (geteuid() == 0)
        mkdir(directory, 0755);
    if (!can_write(directory) && user && *user) {
        snprintf(directory, sizeof directory, "%.3900s/pk11cache", user);
        mkdir(directory, 0700);
    }
    snprintf(path, PATH_SIZE, "%s/%s.%d.sock", directory, name, (int)getpid());
    return can_write(directory);
}

/* Does a live process listen there? A listener that was inherited by a child of the process that made it is stale when
 * that process is gone. */
static bool is_answered(const struct sockaddr_un *address) {
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return true;
    bool connected = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0;
    bool busy = !connected && (errno == EAGAIN || errno == EACCES || errno == EPERM);
    bool alive = busy;
    if (connected && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
        alive = peer.pid != getpid() && (peer.pid == 0 || kill(peer.pid, 0) == 0 || errno != ESRCH);
    close(fd);
    return alive;
}

/* Only one process at a time looks whether a path is stale and replaces it. Without the lock, after a second, it goes
 * on: the directory's owner may hold it for ever. */
static int lock_directory_of(const char *path) {
    char directory[sizeof((struct sockaddr_un *)0)->sun_path + 1];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory] = 0;
    int fd = open(slash ? directory : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    return fd;
}

/* bind, after removing a socket that nobody answers on. Anything else in the way stays. */
static bool bind_here(int fd, const struct sockaddr_un *address) {
    struct stat status;
    if (bind(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return true;
    if (errno != EADDRINUSE)
        return false;
    if (libc_lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode) || is_answered(address)) {
        errno = EADDRINUSE;
        return false;
    }
    unlink(address->sun_path);
    return bind(fd, (const struct sockaddr *)address, sizeof *address) == 0;
}

static const char *reason(int error) {
    return error == EADDRINUSE ? "it belongs to another live process, or is no socket" : strerror(error);
}

int socket_path_listen(struct sockaddr_un *address) {
    char path[PATH_SIZE] = "";
    if (strcmp(options.socket.text, "none") == 0)
        return -1;
    if (!choose(path)) {
        say("no stats socket: %s can't be written (PK11CACHE_SOCKET names another path, or none)", path);
        return -1;
    }
    if (path[0] != '/') {
        say("no stats socket: PK11CACHE_SOCKET=%s is no absolute path", path);
        return -1;
    }
    if (strlen(path) >= sizeof address->sun_path) {
        say("no stats socket: %.60s... is longer than 107 bytes", path);
        return -1;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    strcpy(address->sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int lock = lock_directory_of(path);
    /* The mode is set before the path exists, so that nobody else can ever connect (unix(7)). */
    bool made = fd >= 0 && fchmod(fd, 0600) == 0 && bind_here(fd, address) && listen(fd, BACKLOG) == 0;
    int error = errno;
    if (lock >= 0)
        close(lock);
    if (made)
        return fd;
    say("no stats socket: %s: %s", path, reason(error));
    if (fd >= 0)
        close(fd);
    return -1;
}
