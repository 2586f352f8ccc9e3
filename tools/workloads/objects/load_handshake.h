/* load_handshake.h - the first messages of a client's connection, and one question with its answer. */
#ifndef OBJECTS_LOAD_HANDSHAKE_H
#define OBJECTS_LOAD_HANDSHAKE_H

#include "channel.h"
#include "signer.h"

/* Connect, open both and authenticate. False after a message; nothing is left open. */
bool handshake(const char *address, const struct signing *signing, struct channel *channel, struct signer *signer);

/* Send a request without data and wait for its answer, with nothing else under way. False after a message. */
bool ask(struct channel *channel, const struct signer *signer, enum frame_type type, struct frame *answer);

/* "object-load: text" to stderr; false. */
bool load_failed(const char *text, const char *detail);

#endif
