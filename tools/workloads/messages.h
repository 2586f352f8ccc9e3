/* messages.h - what the sequences encrypt and decrypt, and the check of what comes out.
 *
 * All threads go through the same keys and inputs, which are made once and then only read. To decrypt, there is a ring
 * of messages that OpenSSL has encrypted, each with its IV where the sequence has a new one per message. */
#ifndef WORKLOAD_MESSAGES_H
#define WORKLOAD_MESSAGES_H

#include "workload.h"

/* Before the threads start. False after a message. */
bool messages_make(const struct sequence *sequence);
void messages_free(void);

const unsigned char *const *messages_keys(void);

/* The number of messages after which each key has had its turn. */
unsigned messages_round(void);

/* One thread's place in the ring, its output and its scratch. */
struct turn {
    unsigned at, seed;
    unsigned char iv[WORKLOAD_IV];
    unsigned char *out, *wanted;
};

bool turn_open(struct turn *turn, unsigned thread);
void turn_close(struct turn *turn);

/* The next message to run. */
void turn_next(struct turn *turn, struct message *message);

/* The output's length alone, which costs nothing; and all of it, against OpenSSL. False after a message on stderr. */
bool turn_check_length(const struct message *message);
bool turn_check(struct turn *turn, const struct message *message);

#endif
