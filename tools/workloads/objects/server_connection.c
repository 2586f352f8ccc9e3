#include "channel.h"
#include "server.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

/* Requests of one connection that are neither answered nor refused; beyond it the reader waits, as Ceph's throttle. */
enum { IN_FLIGHT_MAX = 1024, SECONDS_TO_DRAIN = 2 };

struct connection {
    LIST_ENTRY(connection) next;
    pthread_t reader;
    struct channel channel;
    struct signer signer;
    pthread_mutex_t lock; /* rank: after list_lock; nothing is called under it */
    pthread_cond_t wake, room;
    STAILQ_HEAD(, request) out;
    unsigned in_flight; /* given to the pool or in `out` */
    bool ending;        /* nothing comes from the reader any more */
    bool broken;        /* the writer's: the socket takes nothing any more */
    unsigned long long replies;
};

/* Rank: before a connection's lock. Only what is in `live` has an open socket. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended_some = PTHREAD_COND_INITIALIZER;
static LIST_HEAD(, connection) live = LIST_HEAD_INITIALIZER(live), ended = LIST_HEAD_INITIALIZER(ended);

void connection_reply(struct request *reply) {
    struct connection *c = reply->from;
    pthread_mutex_lock(&c->lock);
    STAILQ_INSERT_TAIL(&c->out, reply, next);
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
}

/* The next reply; NULL when all is done. */
static struct request *next_reply(struct connection *c) {
    pthread_mutex_lock(&c->lock);
    while (STAILQ_EMPTY(&c->out) && !(c->ending && !c->in_flight))
        pthread_cond_wait(&c->wake, &c->lock);
    struct request *reply = STAILQ_FIRST(&c->out);
    if (reply) {
        STAILQ_REMOVE_HEAD(&c->out, next);
        if (c->in_flight-- == IN_FLIGHT_MAX)
            pthread_cond_signal(&c->room);
    }
    pthread_mutex_unlock(&c->lock);
    return reply;
}

static bool seal_and_send(struct connection *c, struct frame *frame) {
    frame_seal(frame);
    if (!signer_sign(&c->signer, frame))
        return false;
    if (server.fault == FAULT_SIGNATURE && ++c->replies % FAULT_EVERY == 0)
        frame->signature ^= 1;
    return channel_send(&c->channel, frame);
}

static void *write_replies(void *arg) {
    struct connection *c = arg;
    struct request *reply;
    while ((reply = next_reply(c))) {
        if (!c->broken && !seal_and_send(c, &reply->frame)) {
            c->broken = true;
            shutdown(c->channel.fd, SHUT_RDWR); /* so that the reader ends */
        }
        request_free(reply);
    }
    return NULL;
}

static void count_in(struct connection *c) {
    pthread_mutex_lock(&c->lock);
    while (c->in_flight >= IN_FLIGHT_MAX)
        pthread_cond_wait(&c->room, &c->lock);
    c->in_flight++;
    pthread_mutex_unlock(&c->lock);
}

static uint64_t microseconds(struct timeval t) {
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void answer_usage(struct request *request) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    struct usage usage = {microseconds(used.ru_utime), microseconds(used.ru_stime), atomic_load(&server.requests)};
    request_answer(request, FRAME_FINE);
    if (!(request->data = malloc(USAGE_BYTES))) {
        request->frame.status = FRAME_NO_MEMORY;
        return;
    }
    usage_put(&usage, request->data);
    request->frame.data = request->data;
    request->frame.length = USAGE_BYTES;
}

/* False when the connection has to end. */
static bool take_request(struct connection *c, const struct frame *frame) {
    bool known = frame->type == FRAME_READ || frame->type == FRAME_WRITE || frame->type == FRAME_USAGE;
    enum frame_status refusal = FRAME_FINE;
    if (!signer_check(&c->signer, frame))
        refusal = FRAME_REFUSED;
    else if (!known)
        refusal = FRAME_MALFORMED;
    struct request *request = request_make(c, frame);
    if (!request)
        return false;
    count_in(c);
    if (refusal) {
        atomic_fetch_add(&server.refused, 1);
        request_answer(request, refusal);
        connection_reply(request);
    } else if (frame->type == FRAME_USAGE) {
        answer_usage(request);
        connection_reply(request);
    } else {
        dispatch_put(request);
    }
    return !refusal;
}

/* HELLO, AUTH and its reply. The reply to a wrong signature isn't signed: there is no common key. */
static bool shake_hands(struct connection *c) {
    unsigned char nonce[NONCE_BYTES];
    struct frame hello = {.type = FRAME_HELLO, .data = nonce, .length = sizeof nonce}, answer;
    if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce || !signer_open(&c->signer, &server.signing, nonce))
        return false;
    hello.object = server.signing.sequence != NULL;
    frame_seal(&hello);
    if (!channel_send(&c->channel, &hello) || channel_read(&c->channel, &answer) != CHANNEL_FRAME)
        return false;
    bool welcome = answer.type == FRAME_AUTH && signer_check(&c->signer, &answer);
    struct frame reply = {.type = FRAME_REPLY, .tag = answer.tag, .status = welcome ? FRAME_FINE : FRAME_REFUSED};
    if (welcome)
        return seal_and_send(c, &reply);
    atomic_fetch_add(&server.refused, 1);
    fprintf(stderr, "object-server: a client with a wrong key or none was refused\n");
    frame_seal(&reply);
    channel_send(&c->channel, &reply);
    return false;
}

static void read_requests(struct connection *c) {
    struct frame frame;
    enum channel_result result;
    while ((result = channel_read(&c->channel, &frame)) == CHANNEL_FRAME)
        if (!take_request(c, &frame)) {
            fprintf(stderr, "object-server: a request with a wrong signature or type ended its connection\n");
            return;
        }
    if (result == CHANNEL_GARBLED)
        fprintf(stderr, "object-server: a garbled request ended its connection\n");
}

static void serve(struct connection *c) {
    pthread_t writer;
    if (pthread_create(&writer, NULL, write_replies, c)) {
        fprintf(stderr, "object-server: no thread for a connection\n");
        return;
    }
    read_requests(c);
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
    pthread_join(writer, NULL);
}

static void *run(void *arg) {
    struct connection *c = arg;
    if (shake_hands(c))
        serve(c);
    signer_close(&c->signer);
    pthread_mutex_lock(&list_lock);
    LIST_REMOVE(c, next);
    channel_close(&c->channel);
    LIST_INSERT_HEAD(&ended, c, next);
    pthread_cond_signal(&ended_some);
    pthread_mutex_unlock(&list_lock);
    return NULL;
}

bool connection_start(int fd) {
    struct connection *c = calloc(1, sizeof *c);
    if (!c)
        return false;
    address_no_delay(fd);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    pthread_cond_init(&c->room, NULL);
    STAILQ_INIT(&c->out);
    if (!channel_open(&c->channel, fd, 0)) {
        free(c);
        return false;
    }
    pthread_mutex_lock(&list_lock);
    bool fine = pthread_create(&c->reader, NULL, run, c) == 0;
    if (fine)
        LIST_INSERT_HEAD(&live, c, next);
    pthread_mutex_unlock(&list_lock);
    if (fine) {
        atomic_fetch_add(&server.connections, 1);
        return true;
    }
    c->channel.fd = -1; /* the caller closes what was not taken */
    channel_close(&c->channel);
    free(c);
    return false;
}

void connections_reap(void) {
    for (;;) {
        pthread_mutex_lock(&list_lock);
        struct connection *c = LIST_FIRST(&ended);
        if (c)
            LIST_REMOVE(c, next);
        pthread_mutex_unlock(&list_lock);
        if (!c)
            return;
        pthread_join(c->reader, NULL);
        free(c);
    }
}

static void shut_all(int how) {
    struct connection *c;
    LIST_FOREACH(c, &live, next) {
        shutdown(c->channel.fd, how);
    }
}

void connections_stop(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += SECONDS_TO_DRAIN;
    pthread_mutex_lock(&list_lock);
    shut_all(SHUT_RD);
    while (!LIST_EMPTY(&live) && pthread_cond_timedwait(&ended_some, &list_lock, &until) != ETIMEDOUT)
        ;
    shut_all(SHUT_RDWR); /* who does not take his replies */
    while (!LIST_EMPTY(&live))
        pthread_cond_wait(&ended_some, &list_lock);
    pthread_mutex_unlock(&list_lock);
    connections_reap();
}
