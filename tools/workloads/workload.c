#include "workload.h"
#include "messages.h"
#include "workload_options.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Operations of each thread before its time runs, after one for each message. */
enum { WARM_UP = 200 };

static const struct sequence *sequence;
static pthread_barrier_t start_line;

struct worker {
    pthread_t thread;
    unsigned number;
    bool failed;
    unsigned long long ops;
    double wall_ns, cpu_ns;
    void *state; /* the sequence's */
    struct turn turn;
};

bool workload_failed(const char *call, long error) {
    fprintf(stderr, "%s: %s failed with error %ld\n", sequence->name, call, error);
    return false;
}

static double clock_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static bool run_one(struct worker *w, struct message *m) {
    turn_next(&w->turn, m);
    return sequence->run(w->state, m) && turn_check_length(m);
}

/* What an earlier message left in the buffer must not pass for this one's output. */
static bool check_one(struct worker *w, struct message *m) {
    turn_next(&w->turn, m);
    memset(m->out, 0xcc, (size_t)option.bytes);
    return sequence->run(w->state, m) && turn_check(&w->turn, m);
}

static bool warm_up(struct worker *w) {
    struct message m;
    bool fine = true;
    for (unsigned i = 0; fine && i < messages_round(); i++)
        fine = check_one(w, &m);
    for (int i = 0; fine && i < WARM_UP && (option.bytes <= 65536 || i < 2); i++)
        fine = run_one(w, &m);
    return fine;
}

static bool steady(struct worker *w) {
    bool (*one)(struct worker *, struct message *) = option.check ? check_one : run_one;
    struct message m;
    bool fine = true;
    unsigned long long limit = option.ops ? (unsigned long long)option.ops : ~0ull, done = 0;
    unsigned look = option.bytes > 65536 ? 1 : 64; /* at the clock, once in so many operations */
    double wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    double stop = wall + option.seconds * 1e9;
    while (fine && done < limit) {
        fine = one(w, &m);
        done++;
        if (!option.ops && done % look == 0 && clock_ns(CLOCK_MONOTONIC) >= stop)
            break;
    }
    w->wall_ns = clock_ns(CLOCK_MONOTONIC) - wall;
    w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    w->ops = done;
    return fine && turn_check(&w->turn, &m) && check_one(w, &m);
}

static bool get_ready(struct worker *w) {
    if (!turn_open(&w->turn, w->number))
        return false;
    if (sequence->begin)
        w->state = sequence->begin((unsigned)option.keys, messages_keys(), sequence->key_bytes, option.decrypt);
    return (!sequence->begin || w->state) && warm_up(w);
}

static void *work(void *arg) {
    struct worker *w = arg;
    bool fine = get_ready(w);
    pthread_barrier_wait(&start_line);
    w->failed = !fine || !steady(w);
    if (sequence->end && w->state)
        sequence->end(w->state);
    turn_close(&w->turn);
    return NULL;
}

static bool run_threads(struct worker *workers) {
    pthread_barrier_init(&start_line, NULL, (unsigned)option.threads);
    bool fine = true;
    for (long i = 0; i < option.threads; i++) {
        workers[i].number = (unsigned)i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) {
            fprintf(stderr, "%s: thread %ld can't be started\n", sequence->name, i);
            exit(1);
        }
    }
    for (long i = 0; i < option.threads; i++) {
        pthread_join(workers[i].thread, NULL);
        fine = fine && !workers[i].failed;
    }
    return fine;
}

/* The time of one operation as its thread sees it. */
static void report(const struct worker *workers) {
    double wall = 0, cpu = 0;
    unsigned long long ops = 0;
    for (long i = 0; i < option.threads; i++) {
        wall += workers[i].wall_ns;
        cpu += workers[i].cpu_ns;
        ops += workers[i].ops;
    }
    const char *op = option.decrypt ? "decrypt" : "encrypt";
    if (option.json)
        printf("{\"sequence\":\"%s\",\"op\":\"%s\",\"bytes\":%ld,\"threads\":%ld,\"keys\":%ld,\"ops\":%llu,"
               "\"ns_per_op\":%.1f,\"cpu_ns_per_op\":%.1f}\n",
               sequence->name, op, option.bytes, option.threads, option.keys, ops, wall / (double)ops,
               cpu / (double)ops);
    else
        printf("%s %s %ld bytes, %ld threads, %ld keys: %llu operations, %.1f ns each (CPU %.1f ns)\n", sequence->name,
               op, option.bytes, option.threads, option.keys, ops, wall / (double)ops, cpu / (double)ops);
}

int workload_main(int argc, char **argv, const struct sequence *what) {
    static struct worker workers[THREADS_MAX];
    sequence = what;
    workload_options_parse(argc, argv, sequence->padded);
    bool fine = messages_make(sequence) && sequence->init();
    if (fine) {
        fine = run_threads(workers);
        fine = sequence->shutdown() && fine;
    }
    if (fine)
        report(workers);
    messages_free();
    return fine ? 0 : 1;
}
