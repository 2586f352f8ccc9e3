#include "socket_connect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

static int resolve_in_root(int root, const char *path) {
#ifdef SYS_openat2
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) /* before Linux 5.6, or filtered */
        return fd;
#endif
    return openat(root, path + strspn(path, "/"), O_PATH | O_CLOEXEC);
}

/* Below the process's own root: it may be in a container, whose links lead about in there. */
static int open_in_root(pid_t pid, const char *path) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/root", (int)pid);
    int root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return -1;
    int fd = resolve_in_root(root, path), error = errno;
    close(root);
    errno = error;
    return fd;
}

static void explain(const struct process *p, int fd, int error, char *problem, size_t size) {
    struct stat status;
    const char *path = p->socket;
    if (error == ENOENT || error == ENOTDIR)
        snprintf(problem, size,
                 p->by_path ? "there is no socket %s; `pk11cache stat` lists the processes that have one"
                            : "the socket %s is gone, removed or with its process; a restart makes it anew",
                 path);
    else if (error == ECONNREFUSED)
        snprintf(problem, size,
                 "the socket %s is stale: nobody listens on it any more; the next process that uses it replaces it, or "
                 "remove it",
                 path);
    else if (error == ENOTSOCK)
        snprintf(problem, size, "%s is no socket", path);
    else if ((error == EACCES || error == EPERM) && fd >= 0 && fstat(fd, &status) == 0)
        snprintf(problem, size, "no permission for the socket %s of user %s; run this as root, or as that user", path,
                 process_user(status.st_uid));
    else if (error == EACCES || error == EPERM)
        snprintf(problem, size, "no permission to reach the socket %s; run this as root, or as its user", path);
    else
        snprintf(problem, size, "the socket %s: %s", path, strerror(error));
}

/* By the descriptor, since a path below /proc/PID/root can be too long for an address. */
static int connect_to(int file) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", file);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int socket_connect(const struct process *p, char *problem, size_t size) {
    struct stat status;
    int file = p->by_path ? open(p->socket, O_PATH | O_CLOEXEC) : open_in_root(p->pid, p->socket);
    if (file < 0) {
        explain(p, -1, errno, problem, size);
        return -1;
    }
    bool is_socket = fstat(file, &status) == 0 && S_ISSOCK(status.st_mode);
    int fd = is_socket ? connect_to(file) : -1, error = is_socket ? errno : ENOTSOCK;
    if (fd < 0 && error != EAGAIN && error != EINTR)
        explain(p, file, error, problem, size);
    close(file);
    return fd;
}
