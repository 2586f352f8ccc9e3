/* channel.h - frames over a socket, and the sockets. One thread reads a channel while another may write it. */
#ifndef OBJECTS_CHANNEL_H
#define OBJECTS_CHANNEL_H

#include "wire.h"

#include <stddef.h>

struct channel {
    int fd;
    size_t ahead, room, start, end;
    unsigned char *buffer; /* start..end is read and not yet consumed */
};

enum channel_result { CHANNEL_FRAME, CHANNEL_END, CHANNEL_FAILED, CHANNEL_GARBLED };

/* `ahead`: bytes that may be read beyond the frame asked for; 0 makes two reads for each message, one for the head and
 * one for the rest, as the old messenger did. Takes the descriptor over. False without memory. */
bool channel_open(struct channel *channel, int fd, size_t ahead);
void channel_close(struct channel *channel);

/* Wait for the next frame. Its data stays until the next call. CHANNEL_END: closed by the other side between frames;
 * CHANNEL_FAILED has errno; CHANNEL_GARBLED: no frame, or a wrong checksum. */
enum channel_result channel_read(struct channel *channel, struct frame *frame);

/* Is something read ahead? A poll would not tell. */
bool channel_has_some(const struct channel *channel);

/* Send a sealed frame, in one call where the socket takes it. False with errno. */
bool channel_send(const struct channel *channel, const struct frame *frame);

/* The socket of an address: a path, which has a slash in it, or a TCP port on 127.0.0.1. The descriptor, or -1 after a
 * message on stderr. listening to port 0 takes a free one; address_print says which. A dead server's path is taken
 * over. */
int address_listen(const char *address);
int address_connect(const char *address, bool quiet);
void address_print(const char *address, int fd, char *text, size_t size);

/* Small messages go at once. Nothing on a Unix socket. */
void address_no_delay(int fd);

#endif
