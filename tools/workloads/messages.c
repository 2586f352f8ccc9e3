#include "messages.h"
#include "answers.h"
#include "workload_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sequences with a new IV per message go through at least this many, to decrypt too. */
enum { RING_MIN = 8 };
#define RING_BYTES_MAX (1l << 30)

struct ready { /* encrypted by OpenSSL */
    unsigned char iv[WORKLOAD_IV];
    unsigned char *data;
};

static const struct sequence *sequence;
static unsigned char *keys[KEYS_MAX], *plain;
static struct ready *ring;
static unsigned ring_length;
static int cipher_length;

/* A cheap generator: what it makes is data, not secrets. */
static unsigned next(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* radosgw's IV is a big-endian number that grows by the blocks of a chunk. */
static void count_up(unsigned char iv[WORKLOAD_IV]) {
    unsigned long carry = (unsigned long)(option.bytes / 16);
    for (int i = WORKLOAD_IV - 1; i >= 0 && carry; i--) {
        carry += iv[i];
        iv[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

static void new_iv(unsigned char iv[WORKLOAD_IV], unsigned *seed) {
    if (sequence->iv == IV_COUNTS)
        count_up(iv);
    for (int i = 0; sequence->iv == IV_RANDOM && i < WORKLOAD_IV; i += 2) {
        unsigned word = next(seed);
        memcpy(iv + i, &word, 2);
    }
}

static bool no_memory(void) {
    fprintf(stderr, "%s: no memory for the messages\n", sequence->name);
    return false;
}

static bool make_keys(void) {
    for (unsigned i = 0; i < (unsigned)option.keys; i++) {
        unsigned seed = i * 2654435761u + 17;
        if (!(keys[i] = malloc(sequence->key_bytes)))
            return no_memory();
        for (unsigned j = 0; j < sequence->key_bytes; j++)
            keys[i][j] = (unsigned char)next(&seed);
    }
    return true;
}

static int expected_length(void) {
    long blocks = option.bytes / 16 + (sequence->padded ? 1 : 0);
    return (int)(blocks * 16 + (sequence->packets ? WORKLOAD_IV + WORKLOAD_HASH : 0));
}

static bool make_ring(void) {
    size_t room = (size_t)option.bytes + WORKLOAD_SLACK;
    unsigned seed = 5;
    unsigned char iv[WORKLOAD_IV] = {0};
    memcpy(iv, "cephsageyudagreg", sizeof iv);
    if ((long)room * ring_length > RING_BYTES_MAX) {
        fprintf(stderr, "%s: %u messages of %ld bytes would take more than 1 GiB; fewer --keys or --bytes\n",
                sequence->name, ring_length, option.bytes);
        return false;
    }
    if (!(ring = calloc(ring_length, sizeof *ring)))
        return no_memory();
    for (unsigned i = 0; i < ring_length; i++) {
        if (!(ring[i].data = malloc(room)))
            return no_memory();
        new_iv(iv, &seed);
        memcpy(ring[i].iv, iv, sizeof iv);
        if (answer_encrypt(sequence, keys[i % (unsigned)option.keys], iv, plain, (int)option.bytes, ring[i].data) !=
            cipher_length)
            return workload_failed("OpenSSL", 0);
    }
    return true;
}

bool messages_make(const struct sequence *what) {
    sequence = what;
    cipher_length = expected_length();
    ring_length = (unsigned)option.keys;
    while (option.decrypt && sequence->iv != IV_CONSTANT && ring_length < RING_MIN)
        ring_length += (unsigned)option.keys;
    if (!(plain = malloc((size_t)option.bytes + 1)))
        return no_memory();
    for (long i = 0; i < option.bytes; i++)
        plain[i] = (unsigned char)(i * 7 + 3);
    return make_keys() && (!option.decrypt || make_ring());
}

void messages_free(void) {
    for (unsigned i = 0; ring && i < ring_length; i++)
        free(ring[i].data);
    free(ring);
    free(plain);
    for (unsigned i = 0; i < (unsigned)option.keys; i++)
        free(keys[i]);
}

const unsigned char *const *messages_keys(void) {
    return (const unsigned char *const *)keys;
}

unsigned messages_round(void) {
    return ring_length;
}

bool turn_open(struct turn *turn, unsigned thread) {
    size_t room = (size_t)cipher_length + WORKLOAD_SLACK;
    *turn = (struct turn){.seed = thread * 7919 + 1, .out = malloc(room), .wanted = malloc(room)};
    memcpy(turn->iv, "cephsageyudagreg", WORKLOAD_IV);
    if (sequence->iv == IV_COUNTS)
        turn->iv[4] ^= (unsigned char)thread; /* each thread has its own object */
    return (turn->out && turn->wanted) || no_memory();
}

void turn_close(struct turn *turn) {
    free(turn->out);
    free(turn->wanted);
}

void turn_next(struct turn *turn, struct message *m) {
    unsigned at = turn->at;
    turn->at = at + 1 < ring_length ? at + 1 : 0;
    *m = (struct message){.decrypt = option.decrypt, .key_index = at, .out = turn->out};
    if (option.decrypt) {
        if (at >= (unsigned)option.keys)
            m->key_index = at % (unsigned)option.keys;
        m->iv = ring[at].iv;
        m->in = ring[at].data;
        m->length = cipher_length;
    } else {
        new_iv(turn->iv, &turn->seed);
        m->iv = turn->iv;
        m->in = plain;
        m->length = (int)option.bytes;
    }
    m->key = keys[m->key_index];
}

bool turn_check_length(const struct message *m) {
    return m->out_length == (option.decrypt ? (int)option.bytes : cipher_length) ||
           workload_failed("the length of the output", m->out_length);
}

bool turn_check(struct turn *turn, const struct message *m) {
    const unsigned char *wanted = plain;
    if (!turn_check_length(m))
        return false;
    if (!option.decrypt) {
        if (answer_encrypt(sequence, m->key, m->iv, plain, (int)option.bytes, turn->wanted) != cipher_length)
            return workload_failed("OpenSSL", 0);
        wanted = turn->wanted;
    }
    if (memcmp(m->out, wanted, (size_t)m->out_length) == 0)
        return true;
    fprintf(stderr, "%s: wrong output for key %u, %ld bytes: it is not what OpenSSL computes\n", sequence->name,
            m->key_index, option.bytes);
    return false;
}
