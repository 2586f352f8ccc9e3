#include "channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

bool channel_open(struct channel *c, int fd, size_t ahead) {
    *c = (struct channel){.fd = fd, .ahead = ahead, .room = FRAME_HEAD + FRAME_DATA_MAX + FRAME_FOOT + ahead};
    c->buffer = malloc(c->room);
    return c->buffer != NULL;
}

void channel_close(struct channel *c) {
    free(c->buffer);
    c->buffer = NULL;
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

bool channel_has_some(const struct channel *c) {
    return c->start < c->end;
}

static void make_room(struct channel *c, size_t wanted) {
    if (c->start == c->end)
        c->start = c->end = 0;
    if (c->start + wanted <= c->room)
        return;
    memmove(c->buffer, c->buffer + c->start, c->end - c->start);
    c->end -= c->start;
    c->start = 0;
}

/* Until `wanted` bytes are there. */
static enum channel_result fill(struct channel *c, size_t wanted) {
    make_room(c, wanted);
    while (c->end - c->start < wanted) {
        size_t most = c->ahead ? c->room - c->end : wanted - (c->end - c->start);
        ssize_t n = recv(c->fd, c->buffer + c->end, most, 0);
        if (n == 0)
            return c->end == c->start ? CHANNEL_END : CHANNEL_GARBLED;
        if (n < 0 && errno != EINTR)
            return CHANNEL_FAILED;
        c->end += n > 0 ? (size_t)n : 0;
    }
    return CHANNEL_FRAME;
}

enum channel_result channel_read(struct channel *c, struct frame *frame) {
    enum channel_result result = fill(c, FRAME_HEAD);
    if (result != CHANNEL_FRAME)
        return result;
    if (!frame_get_head(frame, c->buffer + c->start))
        return CHANNEL_GARBLED;
    size_t all = FRAME_HEAD + frame->length + FRAME_FOOT;
    result = fill(c, all);
    if (result != CHANNEL_FRAME)
        return result;
    frame->data = c->buffer + c->start + FRAME_HEAD;
    c->start += all;
    return frame_get_foot(frame, frame->data + frame->length) ? CHANNEL_FRAME : CHANNEL_GARBLED;
}

/* What the socket did not take yet. */
static void advance(struct iovec *parts, size_t sent) {
    for (; sent; parts++) {
        size_t step = sent < parts->iov_len ? sent : parts->iov_len;
        parts->iov_base = (char *)parts->iov_base + step;
        parts->iov_len -= step;
        sent -= step;
    }
}

bool channel_send(const struct channel *c, const struct frame *frame) {
    unsigned char head[FRAME_HEAD], foot[FRAME_FOOT];
    frame_put_head(frame, head);
    frame_put_foot(frame, foot);
    struct iovec parts[] = {{head, sizeof head}, {(void *)frame->data, frame->length}, {foot, sizeof foot}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    for (size_t left = sizeof head + frame->length + sizeof foot; left;) {
        ssize_t n = sendmsg(c->fd, &message, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            advance(parts, (size_t)n);
            left -= (size_t)n;
        }
    }
    return true;
}
