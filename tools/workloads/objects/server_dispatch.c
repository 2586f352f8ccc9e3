/* The pool's threads have a queue each, and an object always has the same: so its requests keep their order, as those
 * of a placement group do in Ceph. */
#include "server.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 64 };

/* Rank of the lock: first; nothing is called under it. */
static struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    STAILQ_HEAD(, request) queue;
} workers[WORKERS_MAX];
static unsigned workers_count;

struct request *request_make(struct connection *from, const struct frame *frame) {
    struct request *request = malloc(sizeof *request);
    if (!request)
        return NULL;
    *request = (struct request){.from = from, .frame = *frame};
    if (frame->length) {
        request->data = malloc(frame->length);
        if (!request->data) {
            free(request);
            return NULL;
        }
        memcpy(request->data, frame->data, frame->length);
    }
    request->frame.data = request->data;
    return request;
}

void request_free(struct request *request) {
    free(request->data);
    free(request);
}

void request_answer(struct request *request, enum frame_status status) {
    free(request->data);
    request->data = NULL;
    request->frame.type = FRAME_REPLY;
    request->frame.status = (uint16_t)status;
    request->frame.length = 0;
    request->frame.data = NULL;
}

static void read_object(struct request *request) {
    unsigned char *data = NULL;
    uint32_t length = 0;
    request_answer(request, store_read(request->frame.object, &data, &length));
    request->frame.data = request->data = data;
    request->frame.length = length;
}

static void perform(struct request *request) {
    if (request->frame.type == FRAME_READ)
        read_object(request);
    else
        request_answer(request, store_write(request->frame.object, request->data, request->frame.length));
    unsigned long long number = atomic_fetch_add_explicit(&server.requests, 1, memory_order_relaxed);
    if (server.fault == FAULT_DATA && number % FAULT_EVERY == 0 && request->frame.length)
        request->data[request->frame.length / 2] ^= 1;
}

/* The next request, or NULL at the end. */
static struct request *take(struct worker *worker) {
    pthread_mutex_lock(&worker->lock);
    while (STAILQ_EMPTY(&worker->queue) && !worker->stop)
        pthread_cond_wait(&worker->wake, &worker->lock);
    struct request *request = STAILQ_FIRST(&worker->queue);
    if (request)
        STAILQ_REMOVE_HEAD(&worker->queue, next);
    pthread_mutex_unlock(&worker->lock);
    return request;
}

static void *work(void *arg) {
    struct request *request;
    while ((request = take(arg))) {
        perform(request);
        connection_reply(request);
    }
    return NULL;
}

bool dispatch_start(unsigned threads) {
    while (workers_count < threads && workers_count < WORKERS_MAX) {
        struct worker *worker = &workers[workers_count];
        pthread_mutex_init(&worker->lock, NULL);
        pthread_cond_init(&worker->wake, NULL);
        STAILQ_INIT(&worker->queue);
        if (pthread_create(&worker->thread, NULL, work, worker))
            return false;
        workers_count++;
    }
    return true;
}

void dispatch_put(struct request *request) {
    struct worker *worker = &workers[request->frame.object * 0x9e3779b97f4a7c15u % workers_count];
    pthread_mutex_lock(&worker->lock);
    STAILQ_INSERT_TAIL(&worker->queue, request, next);
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&worker->lock);
}

void dispatch_stop(void) {
    for (unsigned i = 0; i < workers_count; i++) {
        pthread_mutex_lock(&workers[i].lock);
        workers[i].stop = true;
        pthread_cond_signal(&workers[i].wake);
        pthread_mutex_unlock(&workers[i].lock);
        pthread_join(workers[i].thread, NULL);
    }
}
