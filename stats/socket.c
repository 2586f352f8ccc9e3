#include "stats/socket.h"
#include "preload/libc.h"
#include "preload/magazine.h"
#include "preload/say.h"
#include "stats/command.h"
#include "stats/private_files.h"
#include "stats/socket_path.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 16, LINE_MAX_BYTES = 4096, ACCEPTS = 64, SILENT_MS = 5000, PROMPT_MS = 300000 };

struct client {
    int fd; /* 0: free; ours are above stderr */
    bool stays, quits;
    long long deadline, since; /* ms */
    size_t used, sent;
    struct text answer;
    char line[LINE_MAX_BYTES + 1];
};

static struct client *clients; /* CLIENTS of them; the helper's */
static int listener = -1;
static struct sockaddr_un address;

/* What socket_remove needs: written before `owner`. */
static struct stat made;
static _Atomic pid_t owner;

const char *socket_path(void) {
    return listener >= 0 ? address.sun_path : "";
}

static long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In the child of a fork the parent's state is here, but neither its thread nor its descriptors are. */
void socket_open(void) {
    listener = -1;
    clients = NULL;
    atomic_store(&owner, 0);
    if (!private_files_begin()) {
        say("no stats socket: the kernel refuses unshare(CLONE_FILES): %s", strerror(errno));
        return;
    }
    int fd = socket_path_listen(&address);
    if (fd >= 0 && fd <= STDERR_FILENO) { /* the program runs without them */
        int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(fd);
        fd = higher;
    }
    if (fd >= 0 && libc_lstat(address.sun_path, &made) == 0)
        atomic_store(&owner, getpid());
    private_files_only(fd);
    clients = fd >= 0 ? root_pages(CLIENTS * sizeof *clients) : NULL;
    listener = clients ? fd : -1;
}

void socket_remove(void) {
    struct stat now;
    int saved = errno;
    if (atomic_load(&owner) == getpid() && libc_lstat(address.sun_path, &now) == 0 && now.st_ino == made.st_ino &&
        now.st_dev == made.st_dev)
        unlink(address.sun_path);
    errno = saved;
}

static void drop(struct client *c) {
    close(c->fd);
    text_free(&c->answer);
    c->fd = 0;
    c->used = c->sent = 0;
    c->stays = c->quits = false;
}

static void touch(struct client *c) {
    c->deadline = now_ms() + (c->stays ? PROMPT_MS : SILENT_MS);
}

/* Send what can be sent now. */
static void send_answer(struct client *c) {
    while (c->fd && c->sent < c->answer.used) {
        ssize_t n = send(c->fd, c->answer.data + c->sent, c->answer.used - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            c->sent += (size_t)n;
            touch(c);
        } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        } else {
            drop(c);
        }
    }
    if (!c->fd)
        return;
    if (!c->stays || c->quits) {
        drop(c);
        return;
    }
    text_free(&c->answer);
    c->sent = 0;
}

static bool has_answer(const struct client *c) {
    return c->answer.used > c->sent;
}

static void answer_line(struct client *c, char *line) {
    size_t length = strlen(line);
    if (length && line[length - 1] == '\r')
        line[length - 1] = 0;
    enum command_wish wish = command_run(&c->answer, line);
    c->stays = c->stays || wish == COMMAND_STAY;
    c->quits = wish == COMMAND_QUIT;
    if (c->answer.cut) {
        text_free(&c->answer);
        text_add(&c->answer, "error: the answer is too long, or there is no memory for it\n");
    }
    if (c->stays && !c->quits)
        text_add(&c->answer, "> ");
    touch(c);
    send_answer(c);
}

static void overlong(struct client *c) {
    COUNT(magazine_counters(), socket_overlong);
    text_add(&c->answer, "error: a line of more than %d bytes; help lists the commands\n", LINE_MAX_BYTES);
    c->quits = true;
    send_answer(c);
}

/* The lines that are complete, one at a time: the next is looked at when the answer has gone. */
static void run_lines(struct client *c, bool ended) {
    while (c->fd && !has_answer(c)) {
        char *end = memchr(c->line, '\n', c->used);
        if (!end && !(ended && c->used)) {
            if (c->used == LINE_MAX_BYTES)
                overlong(c);
            return;
        }
        if (end && memchr(c->line, 0, (size_t)(end - c->line)))
            c->line[0] = 1; /* no text: refused as such */
        char line[LINE_MAX_BYTES + 1];
        size_t length = end ? (size_t)(end - c->line) : c->used;
        memcpy(line, c->line, length);
        line[length] = 0;
        c->used -= end ? length + 1 : length;
        memmove(c->line, c->line + length + 1, c->used);
        answer_line(c, line);
    }
}

static void receive(struct client *c) {
    ssize_t n = recv(c->fd, c->line + c->used, LINE_MAX_BYTES - c->used, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        drop(c);
        return;
    }
    c->used += (size_t)n;
    run_lines(c, n == 0);
    if (c->fd && n == 0 && !has_answer(c))
        drop(c); /* half closed: nothing more will come */
}

/* A place for a newcomer: a free one, or that of whoever has been silent longest. */
static struct client *place(void) {
    struct client *oldest = NULL;
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct client *c = &clients[i];
        if (!c->fd)
            return c;
        if (!oldest || (has_answer(c) == has_answer(oldest) ? c->since < oldest->since : !has_answer(c)))
            oldest = c;
    }
    COUNT(magazine_counters(), socket_evicted);
    drop(oldest);
    return oldest;
}

static bool allowed(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}

static void accept_clients(void) {
    static const char denied[] = "error: permission denied; the program's own user and root may ask\n";
    for (int i = 0; i < ACCEPTS; i++) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
            if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
                nanosleep(&(struct timespec){0, 100000000}, NULL); /* no descriptor is free: it stays readable */
            return;
        }
        COUNT(magazine_counters(), socket_clients);
        if (!allowed(fd)) {
            COUNT(magazine_counters(), socket_denied);
            send(fd, denied, sizeof denied - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            close(fd);
            continue;
        }
        struct client *c = place();
        c->fd = fd;
        c->since = now_ms();
        touch(c);
        receive(c);
    }
}

/* Whoever is overdue goes. How long until the next one is. */
static int expire(int milliseconds) {
    long long now = now_ms(), least = milliseconds;
    for (unsigned i = 0; i < CLIENTS; i++) {
        struct client *c = &clients[i];
        if (!c->fd)
            continue;
        if (c->deadline <= now) {
            COUNT(magazine_counters(), socket_timeouts);
            drop(c);
        } else if (c->deadline - now < least) {
            least = c->deadline - now;
        }
    }
    return (int)least;
}

static void serve_once(int milliseconds) {
    struct pollfd polled[CLIENTS + 1];
    struct client *who[CLIENTS];
    nfds_t count = 0;
    int wait = expire(milliseconds);
    for (unsigned i = 0; i < CLIENTS; i++)
        if (clients[i].fd) {
            who[count] = &clients[i];
            polled[count++] =
                (struct pollfd){.fd = clients[i].fd, .events = has_answer(&clients[i]) ? POLLOUT : POLLIN};
        }
    polled[count] = (struct pollfd){.fd = listener, .events = POLLIN};
    int ready = poll(polled, count + 1, wait);
    if (ready < 0) /* no memory, or a limit of fewer descriptors than these */
        nanosleep(&(struct timespec){0, 100000000}, NULL);
    if (ready <= 0)
        return;
    for (nfds_t i = 0; i < count; i++)
        if (polled[i].revents & POLLOUT) {
            send_answer(who[i]);
            run_lines(who[i], false);
        } else if (polled[i].revents) {
            receive(who[i]);
        }
    if (polled[count].revents)
        accept_clients();
}

void socket_serve(int milliseconds) {
    if (listener >= 0)
        serve_once(milliseconds);
    else
        nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}
