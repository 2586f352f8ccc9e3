#include "load_handshake.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* A reply that takes longer is lost. */
enum { PATIENCE_SECONDS = 10, AHEAD_BYTES = 65536 };

bool load_failed(const char *text, const char *detail) {
    fprintf(stderr, "object-load: %s%s%s\n", text, *detail ? ": " : "", detail);
    return false;
}

bool ask(struct channel *channel, const struct signer *signer, enum frame_type type, struct frame *answer) {
    struct frame question = {.type = (uint16_t)type, .tag = type};
    frame_seal(&question);
    if (!signer_sign(signer, &question))
        return false;
    if (!channel_send(channel, &question))
        return load_failed("the server takes no message", strerror(errno));
    if (channel_read(channel, answer) != CHANNEL_FRAME || answer->type != FRAME_REPLY || answer->tag != type)
        return load_failed("the server does not answer", "");
    if (answer->status == FRAME_REFUSED)
        return load_failed("the server refuses the signature: is it another key?", "");
    if (answer->status != FRAME_FINE)
        return load_failed("the server can't answer", "");
    return signer_check(signer, answer) || load_failed("the server's signature is wrong", "");
}

static bool greet(struct channel *channel, const struct signing *signing, struct signer *signer) {
    struct frame frame;
    if (channel_read(channel, &frame) != CHANNEL_FRAME || frame.type != FRAME_HELLO || frame.length != NONCE_BYTES)
        return load_failed("that is no object server", "");
    if (signing->sequence && !frame.object)
        return load_failed("the server does not sign: it wants --signing none", "");
    if (!signing->sequence && frame.object)
        return load_failed("the server wants signatures: --signing hammer or infernalis", "");
    return signer_open(signer, signing, frame.data);
}

bool handshake(const char *address, const struct signing *signing, struct channel *channel, struct signer *signer) {
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    struct frame answer;
    int fd = address_connect(address, false);
    if (fd < 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!channel_open(channel, fd, AHEAD_BYTES)) {
        channel_close(channel);
        return load_failed("no memory", "");
    }
    bool open = greet(channel, signing, signer);
    if (open && ask(channel, signer, FRAME_AUTH, &answer))
        return true;
    if (open)
        signer_close(signer);
    channel_close(channel);
    return false;
}
