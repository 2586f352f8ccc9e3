/* sequence.h - a sequence of calls as data: made from a seed, run on both sides, and made shorter while it
 * still differs. */
#ifndef DIFFERENTIAL_SEQUENCE_H
#define DIFFERENTIAL_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum call_kind {
    CALL_IMPORT,
    CALL_FREE_KEY,
    CALL_KEY_DATA,
    CALL_CREATE,
    CALL_CIPHER,
    CALL_FINAL,
    CALL_BEGIN,
    CALL_DIGEST_OP,
    CALL_DIGEST_KEY,
    CALL_FINALIZE,
    CALL_SAVE,
    CALL_RESTORE,
    CALL_CLONE,
    CALL_FIPS,
    CALL_DESTROY,
    CALL_STALE,
    CALL_BEST_SLOT,
    CALL_DISTURB,
    CALL_KINDS
};

enum { CONTEXTS = 4, KEYS = 3, CALLS = 48 };
enum room { ROOM_AMPLE, ROOM_BLOCK, ROOM_EXACT, ROOM_RANDOM, ROOM_ZERO, ROOM_NEGATIVE };

/* Contexts and keys are named by their place, so that a sequence keeps its sense when calls are dropped; a
 * call whose context or key is not there is left out. */
struct call {
    enum call_kind kind;
    unsigned char context, other, key, mechanism, param_length;
    bool decrypt, odd, null_param, constant_iv, damaged; /* create, import */
    bool everything, rough, in_place, out_null, in_null; /* cipher */
    enum room room;
    unsigned length;
    uint32_t random;
};

struct sequence {
    unsigned long seed;
    unsigned count;
    struct call calls[CALLS];
};

void sequence_make(struct sequence *sequence, unsigned long seed);
/* The same, decided by a fuzzer's bytes. */
void sequence_make_from(struct sequence *sequence, const unsigned char *bytes, size_t count);
/* Run it; pair_different tells. */
void sequence_run(const struct sequence *sequence);
/* Drop what is not needed for a difference, as long as anything can be dropped. The cache's own state is what
 * earlier sequences left: a difference that needs it may not come again, and the sequence stays as it is. */
void sequence_shrink(struct sequence *sequence);

/* What was run so far. */
void sequence_table(FILE *to);
unsigned long long sequence_handles(void);

#endif
