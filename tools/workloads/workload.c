#include "workload.h"
#include "answers.h"

#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS_MAX = 4096, THREADS_MAX = 256, BYTES_MAX = 64 << 20, WARM_UP = 200 };

static struct {
    bool decrypt, check, json;
    long bytes, threads, keys, ops;
    double seconds;
} option = {.bytes = 128, .threads = 1, .keys = 1};

static const struct sequence *sequence;
static unsigned char *keys[KEYS_MAX];
static pthread_barrier_t start_line;

struct worker {
    pthread_t thread;
    unsigned number;
    bool failed;
    unsigned long long ops;
    double wall_ns, cpu_ns;
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

/* A cheap generator: what it makes is data, not secrets. */
static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void set_iv(unsigned char iv[WORKLOAD_IV], unsigned *state) {
    for (int i = 0; i < WORKLOAD_IV; i += 4) {
        unsigned word = next(state);
        memcpy(iv + i, &word, 3);
    }
}

/* One thread's message: plain text, and its cipher text by OpenSSL for the IV of the moment. */
struct bench {
    struct worker *worker;
    void *state;
    unsigned seed;
    unsigned char iv[WORKLOAD_IV];
    unsigned char *plain, *cipher, *out;
    int cipher_length;
    unsigned key_index;
};

static bool expect(struct bench *b) {
    b->cipher_length =
        answer_encrypt(sequence, keys[b->key_index], b->iv, b->plain, (int)option.bytes, b->cipher);
    return b->cipher_length >= 0 || workload_failed("OpenSSL", 0);
}

static bool run_one(struct bench *b) {
    struct message m = {.decrypt = option.decrypt,
                        .key = keys[b->key_index],
                        .iv = b->iv,
                        .key_index = b->key_index,
                        .in = option.decrypt ? b->cipher : b->plain,
                        .length = option.decrypt ? b->cipher_length : (int)option.bytes,
                        .out = b->out};
    b->worker->ops++;
    if (!sequence->run(b->state, &m))
        return false;
    return m.out_length == (option.decrypt ? option.bytes : b->cipher_length) ||
           workload_failed("length of the output", m.out_length);
}

static bool check_one(struct bench *b) {
    memset(b->out, 0xcc, (size_t)option.bytes);
    if (!expect(b) || !run_one(b))
        return false;
    const unsigned char *want = option.decrypt ? b->plain : b->cipher;
    int length = option.decrypt ? (int)option.bytes : b->cipher_length;
    if (memcmp(b->out, want, (size_t)length) == 0)
        return true;
    fprintf(stderr, "%s: wrong output for key %u, %ld bytes\n", sequence->name, b->key_index, option.bytes);
    return false;
}

static bool check_each_key(struct bench *b) {
    for (b->key_index = 0; b->key_index < (unsigned)option.keys; b->key_index++) {
        if (sequence->new_iv)
            set_iv(b->iv, &b->seed);
        if (!check_one(b))
            return false;
    }
    b->key_index = 0;
    return true;
}

/* Encryption takes a new IV per message where the daemon does; decryption needs the cipher text that belongs to the IV
 * and key, and keeps both (with several keys, only key 0 then). */
static bool run_next(struct bench *b) {
    if (!option.decrypt && option.keys > 1)
        b->key_index = (b->key_index + 1) % (unsigned)option.keys;
    if (option.check) {
        if (sequence->new_iv)
            set_iv(b->iv, &b->seed);
        if (option.keys > 1)
            b->key_index = next(&b->seed) % (unsigned)option.keys;
        return check_one(b);
    }
    if (sequence->new_iv && !option.decrypt) {
        set_iv(b->iv, &b->seed);
        b->cipher_length = (int)(sequence->padded ? (option.bytes / 16 + 1) * 16 : option.bytes) +
                           (sequence->signs ? 32 : 0);
    }
    return run_one(b);
}

static bool steady(struct bench *b) {
    struct worker *w = b->worker;
    bool fine = true;
    for (int i = 0; fine && i < WARM_UP; i++)
        fine = run_next(b);
    unsigned long long before = w->ops, limit = option.ops > 0 ? (unsigned long long)option.ops : ~0ull;
    double wall = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), stop = wall + option.seconds * 1e9;
    for (unsigned long long done = 0; fine && done < limit; done++) {
        if (option.ops <= 0 && done % 64 == 0 && clock_ns(CLOCK_MONOTONIC) >= stop)
            break;
        fine = run_next(b);
    }
    w->wall_ns = clock_ns(CLOCK_MONOTONIC) - wall;
    w->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    w->ops -= before;
    unsigned long long counted = w->ops;
    fine = fine && check_one(b);
    w->ops = counted;
    return fine;
}

static void *work(void *arg) {
    struct worker *w = arg;
    struct bench b = {.worker = w, .seed = w->number * 7919 + 1};
    size_t room = (size_t)option.bytes + WORKLOAD_SLACK;
    b.plain = malloc(room);
    b.cipher = malloc(room);
    b.out = malloc(room);
    bool fine = b.plain && b.cipher && b.out;
    memcpy(b.iv, "cephsageyudagreg", WORKLOAD_IV);
    for (size_t i = 0; fine && i < room; i++)
        b.plain[i] = (unsigned char)(i * 7 + w->number);
    if (sequence->begin)
        fine = fine && (b.state = sequence->begin((unsigned)option.keys, (const unsigned char *const *)keys,
                                                  sequence->key_bytes, option.decrypt));
    fine = fine && check_each_key(&b) && (b.key_index = 0, expect(&b));
    pthread_barrier_wait(&start_line);
    fine = fine && steady(&b);
    if (sequence->end && b.state)
        sequence->end(b.state);
    w->failed = !fine;
    free(b.plain);
    free(b.cipher);
    free(b.out);
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

static void report(const struct worker *workers) {
    double wall = 0, cpu = 0;
    unsigned long long ops = 0;
    for (long i = 0; i < option.threads; i++) {
        wall += workers[i].wall_ns;
        cpu += workers[i].cpu_ns;
        ops += workers[i].ops;
    }
    const char *op = option.decrypt ? "decrypt" : "encrypt";
    if (!ops)
        ops = 1;
    if (option.json)
        printf("{\"sequence\":\"%s\",\"op\":\"%s\",\"bytes\":%ld,\"threads\":%ld,\"keys\":%ld,\"ops\":%llu,"
               "\"ns_per_op\":%.1f,\"cpu_ns_per_op\":%.1f}\n",
               sequence->name, op, option.bytes, option.threads, option.keys, ops, wall / (double)ops,
               cpu / (double)ops);
    else
        printf("%s %s %ld bytes, %ld threads, %ld keys: %llu operations, %.1f ns each (CPU %.1f ns)\n", sequence->name,
               op, option.bytes, option.threads, option.keys, ops, wall / (double)ops, cpu / (double)ops);
}

static long number(struct argp_state *state, const char *name, const char *text, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high)
        argp_failure(state, 2, 0, "%s takes a whole number from %ld to %ld, not \"%s\"", name, low, high, text);
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    char *end;
    switch (key) {
    case 'o':
        if (strcmp(arg, "encrypt") && strcmp(arg, "decrypt"))
            argp_failure(state, 2, 0, "--op is encrypt or decrypt, not \"%s\"", arg);
        option.decrypt = strcmp(arg, "decrypt") == 0;
        break;
    case 'b': option.bytes = number(state, "--bytes", arg, 0, BYTES_MAX); break;
    case 't': option.threads = number(state, "--threads", arg, 1, THREADS_MAX); break;
    case 'k': option.keys = number(state, "--keys", arg, 1, KEYS_MAX); break;
    case 'n': option.ops = number(state, "--ops", arg, 1, 1000000000); break;
    case 's':
        option.seconds = strtod(arg, &end);
        if (end == arg || *end || !(option.seconds > 0 && option.seconds <= 86400))
            argp_failure(state, 2, 0, "--seconds takes a number above 0, up to 86400, not \"%s\"", arg);
        break;
    case 'c': option.check = true; break;
    case 'j': option.json = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void make_keys(void) {
    for (long i = 0; i < option.keys; i++) {
        unsigned seed = (unsigned)i * 2654435761u + 17;
        keys[i] = malloc(sequence->key_bytes);
        if (!keys[i])
            exit(1);
        for (unsigned j = 0; j < sequence->key_bytes; j++)
            keys[i][j] = (unsigned char)next(&seed);
    }
}

int workload_main(int argc, char **argv, const struct sequence *what) {
    static const struct argp_option arguments[] = {
        {"op", 'o', "encrypt|decrypt", 0, "what to do (encrypt)", 0},
        {"bytes", 'b', "N", 0, "length of the plain text (128)", 0},
        {"threads", 't', "N", 0, "threads (1)", 0},
        {"keys", 'k', "N", 0, "keys, used in turn (1)", 0},
        {"ops", 'n', "N", 0, "operations per thread", 0},
        {"seconds", 's', "S", 0, "or: seconds (1)", 0},
        {"check", 'c', NULL, 0, "compare every output with OpenSSL's, not only the first and last", 0},
        {"json", 'j', NULL, 0, "print one line of JSON", 0},
        {0}};
    static const struct argp argp = {arguments, parse, NULL, "Run a daemon's NSS call sequence and time it.", NULL, NULL, NULL};
    static struct worker workers[THREADS_MAX];
    sequence = what;
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    if (option.ops <= 0 && option.seconds <= 0)
        option.seconds = 1;
    if (!sequence->padded && option.bytes % 16) {
        fprintf(stderr, "%s: --bytes must be a multiple of 16 without padding\n", sequence->name);
        return 2;
    }
    make_keys();
    if (!sequence->init())
        return 1;
    bool fine = run_threads(workers);
    fine = sequence->shutdown() && fine;
    if (fine)
        report(workers);
    return fine ? 0 : 1;
}
