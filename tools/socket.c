#include "socket.h"
#include "command.h"
#include "socket_connect.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_MAX = 64 << 20, RETRY_MS = 20, STOPPED_MS = 400 };

struct talk {
    struct ask *ask;
    int fd; /* -1: not connected yet */
    bool done;
    size_t sent, room;
};

static long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void __attribute__((format(printf, 2, 3))) fail(struct talk *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->ask->problem, sizeof t->ask->problem, format, arguments);
    va_end(arguments);
    t->done = true;
    free(t->ask->answer);
    t->ask->answer = NULL;
}

static void begin(struct talk *t) {
    struct ask *ask = t->ask;
    t->fd = socket_connect(ask->process, ask->problem, sizeof ask->problem);
    t->done = t->fd < 0 && *ask->problem;
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (t->fd >= 0 && getsockopt(t->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
        ask->peer = peer.pid;
}

/* A server that refuses us answers before it reads: so a failure to send is not the end. */
static void send_some(struct talk *t, const char *line, size_t length) {
    ssize_t n = send(t->fd, line + t->sent, length - t->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
        t->sent += (size_t)n;
    else if (n < 0 && errno != EAGAIN && errno != EINTR)
        t->sent = length;
}

static void judge(struct talk *t) {
    static const char error[] = "error: ";
    struct ask *ask = t->ask;
    const char *path = ask->process->socket;
    t->done = true;
    if (!ask->length)
        fail(t, "the socket %s closed without an answer; the process is ending, or has too many clients", path);
    else if (strncmp(ask->answer, error, sizeof error - 1) == 0)
        fail(t, "%.*s (socket %s)", (int)strcspn(ask->answer + sizeof error - 1, "\n"), ask->answer + sizeof error - 1,
             path);
    else if (ask->answer[ask->length - 1] != '\n')
        fail(t, "the answer on the socket %s was cut off; the process has ended, or is no pk11cache", path);
}

static bool make_room(struct talk *t) {
    if (t->room - t->ask->length > 1)
        return true;
    size_t more = t->room ? t->room * 2 : 32768;
    char *larger = more <= ANSWER_MAX ? realloc(t->ask->answer, more) : NULL;
    if (!larger)
        return false;
    t->ask->answer = larger;
    t->room = more;
    return true;
}

static void receive_some(struct talk *t) {
    struct ask *ask = t->ask;
    if (!make_room(t)) {
        fail(t, "the answer on the socket %s is too long for this command", ask->process->socket);
        return;
    }
    ssize_t n = recv(t->fd, ask->answer + ask->length, t->room - ask->length - 1, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    ask->length += n > 0 ? (size_t)n : 0;
    ask->answer[ask->length] = 0;
    if (n <= 0)
        judge(t);
}

static pid_t pid_of(const struct talk *t) {
    return t->ask->process->pid ? t->ask->process->pid : t->ask->peer;
}

static void time_is_up(struct talk *t, int milliseconds) {
    const struct process *p = t->ask->process;
    pid_t pid = pid_of(t);
    if (pid && process_is_stopped(pid))
        fail(t, "no answer on the socket %s: process %d is stopped; kill -CONT %d lets it go on", p->socket, (int)pid,
             (int)pid);
    else
        fail(t, "no answer on the socket %s within %g s: the machine is overloaded, or it is no socket of pk11cache's",
             p->socket, milliseconds / 1000.0);
}

/* One turn of all talks that aren't done. False when all are. */
static bool turn(struct talk *talks, size_t count, const char *line, struct pollfd *polled, long long end) {
    size_t length = strlen(line);
    bool retry = false, open = false;
    for (size_t i = 0; i < count; i++) {
        struct talk *t = &talks[i];
        if (!t->done && t->fd < 0)
            begin(t);
        retry = retry || (!t->done && t->fd < 0);
        open = open || !t->done;
        polled[i] = (struct pollfd){.fd = t->done ? -1 : t->fd, .events = t->sent < length ? POLLOUT | POLLIN : POLLIN};
    }
    long long left = end - now_ms();
    if (!open || left <= 0)
        return false;
    poll(polled, count, (int)(retry && left > RETRY_MS ? RETRY_MS : left));
    for (size_t i = 0; i < count; i++) {
        if (polled[i].fd >= 0 && (polled[i].revents & POLLOUT) && talks[i].sent < length)
            send_some(&talks[i], line, length);
        if (polled[i].fd >= 0 && (polled[i].revents & ~POLLOUT))
            receive_some(&talks[i]);
    }
    return true;
}

/* One that is stopped would make us wait for nothing, and the others' answers with it. */
static void give_up_on_stopped(struct talk *talks, size_t count, int milliseconds) {
    for (size_t i = 0; i < count; i++)
        if (!talks[i].done && pid_of(&talks[i]) && process_is_stopped(pid_of(&talks[i])))
            time_is_up(&talks[i], milliseconds);
}

static void finish(struct talk *talks, size_t count, int milliseconds) {
    for (size_t i = 0; i < count; i++) {
        if (!talks[i].done)
            time_is_up(&talks[i], milliseconds);
        if (talks[i].fd >= 0)
            close(talks[i].fd);
    }
}

void socket_ask(struct ask *asks, size_t count, const char *command, int milliseconds) {
    struct talk *talks = calloc(count + 1, sizeof *talks);
    struct pollfd *polled = calloc(count + 1, sizeof *polled);
    char line[1024];
    long long end = now_ms() + milliseconds;
    snprintf(line, sizeof line, "%s\n", command);
    for (size_t i = 0; i < count; i++) {
        asks[i].answer = NULL;
        asks[i].length = 0;
        asks[i].peer = 0;
        snprintf(asks[i].problem, sizeof asks[i].problem, "%s", talks && polled ? "" : "no memory");
        if (talks)
            talks[i] = (struct talk){.ask = &asks[i], .fd = -1};
    }
    if (talks && polled) {
        long long early = milliseconds > STOPPED_MS ? end - milliseconds + STOPPED_MS : end;
        while (turn(talks, count, line, polled, early)) {
        }
        give_up_on_stopped(talks, count, milliseconds);
        while (turn(talks, count, line, polled, end)) {
        }
        finish(talks, count, milliseconds);
    }
    free(talks);
    free(polled);
}

void ask_free(struct ask *ask) {
    free(ask->answer);
    ask->answer = NULL;
}

char *socket_ask_one(const struct process *process, const char *command) {
    struct ask ask = {.process = process};
    socket_ask(&ask, 1, command, ASK_MS);
    if (*ask.problem)
        complain("%s", ask.problem);
    return ask.answer;
}
