/* sample.h - which calls are measured: the latency of one in PK11CACHE_SAMPLE, the call stack of one hit in
 * PK11CACHE_SITES. The distance is drawn anew each time, since programs repeat the same few calls: a fixed one would
 * always meet the same. Unsampled calls pay one decrement and one branch that is not taken. */
#ifndef PK11CACHE_SAMPLE_H
#define PK11CACHE_SAMPLE_H

#include "preload/thread.h"
#include "stats/histogram.h"

/* SAMPLED(id, function): the calls whose latency is kept, under this name. */
#define SAMPLED_CALLS                                                                                                  \
    SAMPLED(best_slot, "PK11_GetBestSlot")                                                                             \
    SAMPLED(import, "PK11_ImportSymKey")                                                                               \
    SAMPLED(create, "PK11_CreateContextBySymKey, PK11_CreateDigestContext")                                            \
    SAMPLED(cipher_op, "PK11_CipherOp of a cached context")                                                            \
    SAMPLED(digest_op, "PK11_DigestOp of a cached context")                                                            \
    SAMPLED(final, "PK11_DigestFinal of a cached context")                                                             \
    SAMPLED(destroy, "PK11_DestroyContext of a cached context")                                                        \
    SAMPLED(free_key, "PK11_FreeSymKey")

enum sampled_call {
#define SAMPLED(id, function) SAMPLED_##id,
    SAMPLED_CALLS
#undef SAMPLED
        SAMPLED_COUNT
};

/* Part of the root: fresh in the child of a fork. */
struct latency {
    struct histogram calls[SAMPLED_COUNT];
};

struct sample {
    enum sampled_call call;
    bool latency, site;
    uint64_t start, hits;
};

bool sample_due_slow(void) __attribute__((noinline, cold));

/* Is this call to be sampled? Then sample_begin and sample_end go around it. */
static inline bool sample_due(void) {
    return __builtin_expect(--thread_self.countdown < 0, 0) && sample_due_slow();
}

struct sample sample_begin(enum sampled_call call);
/* `mechanism` and `operation`: what a hit built, for its site. */
void sample_end(const struct sample *sample, unsigned long mechanism, unsigned long operation);

#endif
