/* object-load: the load for the object server. It signs what it sends and checks what comes back. */
#include "content.h"
#include "load.h"
#include "load_handshake.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { WARM_UP_OPS = 1000 };

struct worker {
    pthread_t thread;
    unsigned number;
    bool failed;
    struct load_connection *connection;
};

/* The threads wait at it before and after the measured phase. */
static pthread_barrier_t line;
static uint64_t start_ns;
static struct load_result result;

/* This connection's part of a number. */
static uint64_t part_of(uint64_t all, unsigned number) {
    return all / option.connections + (number < all % option.connections ? 1 : 0);
}

static struct phase measured_phase(unsigned number) {
    struct phase phase = {.order = ORDER_MIX, .limit = UINT64_MAX, .start_ns = start_ns, .measured = true};
    uint64_t span = (uint64_t)(option.seconds * 1e9);
    uint64_t ops = option.ops || !(option.rate > 0) ? option.ops : (uint64_t)ceil(option.rate * option.seconds);
    if (ops)
        phase.limit = part_of(ops, number);
    else
        phase.until_ns = start_ns + span;
    if (option.rate > 0) {
        phase.interval_ns = 1e9 * option.connections / option.rate;
        phase.start_ns += (uint64_t)(phase.interval_ns * number / option.connections);
        /* A server that can't keep the rate by far must not keep us for ever; what was never sent counts as failed. */
        phase.until_ns = start_ns + 10000000000u + 3 * (uint64_t)(1e9 * (double)ops / option.rate);
    }
    return phase;
}

static bool prepare(struct worker *w) {
    const struct phase fill = {.order = ORDER_WRITE_ALL, .limit = option.objects};
    const struct phase warm_up = {.order = ORDER_MIX, .limit = part_of(WARM_UP_OPS, w->number)};
    w->connection = load_open(w->number);
    return w->connection && load_run(w->connection, &fill) && load_run(w->connection, &warm_up);
}

static void *work(void *arg) {
    struct worker *w = arg;
    const struct phase read_back = {.order = ORDER_READ_ALL, .limit = option.objects};
    w->failed = !prepare(w);
    pthread_barrier_wait(&line);
    pthread_barrier_wait(&line); /* in between the main thread asks the server what it has used, and sets the time */
    struct phase phase = measured_phase(w->number);
    w->failed = w->failed || !load_run(w->connection, &phase);
    pthread_barrier_wait(&line);
    pthread_barrier_wait(&line);
    w->failed = w->failed || !load_run(w->connection, &read_back);
    return NULL;
}

static double own_cpu_us(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return 1e6 * (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void start(struct worker *workers) {
    pthread_barrier_init(&line, NULL, option.connections + 1);
    for (unsigned i = 0; i < option.connections; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
            load_failed("a thread can't be started", "");
            exit(1); /* the others wait for it at the barrier */
        }
    }
}

/* The main thread's part of a run: what was used between the barriers. */
static bool conduct(struct load_connection *control) {
    struct usage before = {0}, after = {0};
    pthread_barrier_wait(&line);
    bool fine = load_usage(control, &before);
    double cpu = own_cpu_us();
    start_ns = load_now();
    pthread_barrier_wait(&line);
    pthread_barrier_wait(&line);
    result.own_cpu_us = own_cpu_us() - cpu;
    fine = fine && load_usage(control, &after);
    pthread_barrier_wait(&line);
    if (fine)
        result.server = (struct usage){after.user_us - before.user_us, after.system_us - before.system_us,
                                       after.requests - before.requests};
    return fine;
}

/* Take a worker's part in and end it. */
static bool gather(struct worker *w) {
    pthread_join(w->thread, NULL);
    if (!w->connection) {
        result.counts.failed++;
        return false;
    }
    const struct load_counts *counts = load_counts(w->connection);
    uint64_t last = load_last_ns(w->connection);
    result.counts.reads += counts->reads;
    result.counts.writes += counts->writes;
    result.counts.failed += counts->failed;
    result.counts.wrong += counts->wrong;
    latency_merge(&result.latency, load_latency(w->connection));
    if (last > start_ns)
        result.seconds = fmax(result.seconds, (double)(last - start_ns) / 1e9);
    load_close(w->connection);
    return !w->failed;
}

static bool run(struct load_connection *control) {
    static struct worker workers[CONNECTIONS_MAX];
    start(workers);
    bool fine = conduct(control);
    for (unsigned i = 0; i < option.connections; i++)
        fine = gather(&workers[i]) && fine;
    load_report(&result);
    return fine && !result.counts.failed && !result.counts.wrong;
}

int main(int argc, char **argv) {
    load_options_parse(argc, argv);
    prctl(PR_SET_TIMERSLACK, 1); /* a rate is kept to the microsecond; threads inherit it */
    if (!signing_start(&option.signing))
        return 1;
    struct load_connection *control = load_open(0);
    bool fine = control && (option.ping || run(control));
    if (control)
        load_close(control);
    return signing_stop(&option.signing) && fine ? 0 : 1;
}
