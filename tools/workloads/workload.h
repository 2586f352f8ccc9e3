/* workload.h - the frame of a workload: options, threads, timing, known answers.
 *
 * A workload is an ordinary NSS program that knows nothing of the cache. It gives a `struct sequence`; the frame runs
 * it in threads, checks every key's first and every thread's last output against OpenSSL (with --check every output),
 * and prints the time per operation. A sequence encrypts or decrypts one message per call, as its daemon does. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

enum { WORKLOAD_IV = 16, WORKLOAD_HASH = 32, WORKLOAD_SLACK = 80 };

struct message {
    bool decrypt;
    const unsigned char *key; /* key_bytes of it */
    const unsigned char *iv;  /* WORKLOAD_IV bytes */
    unsigned key_index;
    const unsigned char *in;
    int length;
    unsigned char *out; /* length + WORKLOAD_SLACK bytes of room */
    int out_length;
};

enum workload_iv { IV_CONSTANT, IV_COUNTS, IV_RANDOM };

struct sequence {
    const char *name;
    unsigned key_bytes; /* 16 or 32 */
    bool padded;
    enum workload_iv iv; /* the constant one of Ceph's messages, or a new one for each message */
    bool packets;        /* IV before and HMAC-SHA256 of both after the cipher text, as knet sends it */
    bool (*init)(void);
    bool (*shutdown)(void);
    /* Per thread; NULL where there is nothing to keep. The result of begin is given to run and end. */
    void *(*begin)(unsigned keys, const unsigned char *const *key, unsigned key_bytes, bool decrypt);
    void (*end)(void *state);
    bool (*run)(void *state, struct message *message);
};

/* Parse the arguments, run, report. The result is main's: 0, 1 for a wrong answer or a failed call, 2 for a bad
 * argument. */
int workload_main(int argc, char **argv, const struct sequence *sequence);

/* "hammer: PK11_CipherOp failed with error -8190" to stderr; false, so that a sequence can return it. */
bool workload_failed(const char *call, long error);

#endif
