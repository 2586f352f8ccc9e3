/* answers.h - known answers by OpenSSL, an implementation that is independent of NSS. */
#ifndef WORKLOAD_ANSWERS_H
#define WORKLOAD_ANSWERS_H

#include "workload.h"

/* The cipher text of `plain`, as a packet where the sequence sends packets, into `out`; its length, or -1. */
int answer_encrypt(const struct sequence *sequence, const unsigned char *key, const unsigned char *iv,
                   const unsigned char *plain, int length, unsigned char *out);

#endif
