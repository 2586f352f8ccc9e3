/* server.h - the object server's parts: what they share, and the order in which a request passes through them.
 *
 * A connection's reader thread checks a request's signature and gives it to the dispatch pool; a pool's thread works on
 * the store and turns it into its reply; the connection's writer thread signs the reply and sends it. */
#ifndef OBJECTS_SERVER_H
#define OBJECTS_SERVER_H

#include "signer.h"

#include <stdatomic.h>
#include <sys/queue.h>

enum server_fault { FAULT_NONE, FAULT_SIGNATURE, FAULT_DATA };

/* Written before the threads start, but for the counts. */
extern struct server {
    struct signing signing;
    enum server_fault fault; /* for tests: in one reply of FAULT_EVERY a wrong signature, or wrong data signed well */
    atomic_ullong requests;  /* reads and writes, done */
    atomic_ullong connections, refused; /* refused: authentications and requests with a wrong signature */
} server;

enum { FAULT_EVERY = 100 };

struct connection;

/* A request, and later its reply. It has one owner at a time. */
struct request {
    STAILQ_ENTRY(request) next;
    struct connection *from;
    struct frame frame;
    unsigned char *data; /* the frame's; owned, may be NULL */
};

/* A copy of the frame and its data; NULL without memory. */
struct request *request_make(struct connection *from, const struct frame *frame);
void request_free(struct request *request);

/* Make it its own reply, with no data. */
void request_answer(struct request *request, enum frame_status status);

/* The store: objects in memory, by number. Any thread. A write replaces all of an object, a read copies it. */
enum frame_status store_write(uint64_t object, const unsigned char *data, uint32_t length);
enum frame_status store_read(uint64_t object, unsigned char **data, uint32_t *length);
void store_free(void);

/* The pool. Requests for one object are worked on in the order of dispatch_put. dispatch_stop waits for all work. */
bool dispatch_start(unsigned threads);
void dispatch_put(struct request *request);
void dispatch_stop(void);

/* Connections: start one on an accepted socket (which it takes over); join those that have ended; and end all: what
 * was received is still answered. Called on the main thread. */
bool connection_start(int fd);
void connections_reap(void);
void connections_stop(void);

/* Queue a reply for its connection's writer. Any thread. */
void connection_reply(struct request *reply);

#endif
