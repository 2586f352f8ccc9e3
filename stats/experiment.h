/* experiment.h - the A/B experiment: operation by operation, bare NSS or the cache, at random.
 *
 * An operation that began with PK11_GetBestSlot or PK11_ImportSymKey ends with PK11_FreeSymKey of that key on that
 * thread; one that began with a create ends with its destroy. A new start on the thread discards a pending one. The
 * wall time of each goes to a histogram by arm, direction and size; one operation in 256 has its thread's CPU time
 * taken instead, since reading that clock costs more than the operation. All state is per thread and written by its
 * owner alone. */
#ifndef PK11CACHE_EXPERIMENT_H
#define PK11CACHE_EXPERIMENT_H

#include "preload/nss_types.h"
#include "preload/root.h"
#include "stats/counters.h"
#include "stats/histogram.h"

enum experiment_arm { ARM_CONTROL, ARM_CACHED, ARMS };
enum experiment_direction { DIRECTION_ENCRYPT, DIRECTION_DECRYPT, DIRECTION_SIGN, DIRECTIONS };
enum { EXPERIMENT_SIZES = 7 };
extern const char *const experiment_directions[DIRECTIONS];
extern const unsigned experiment_size_limits[EXPERIMENT_SIZES]; /* the last is 0: no limit */

/* BOTH_BARE and BOTH_CACHED treat both arms the same (an A/A experiment: it must show no difference); `delay`
 * nanoseconds are then spent in the control arm, a difference of known size. */
enum experiment_kind { EXPERIMENT_AB, EXPERIMENT_BOTH_BARE, EXPERIMENT_BOTH_CACHED };

struct experiment_plan {
    double share;   /* 0..1: how many operations go to the control arm */
    double seconds; /* until it ends by itself; 0: never */
    enum experiment_kind kind;
    unsigned delay;
    uint64_t seed; /* 0: from the clock */
};

struct experiment_arm_counts {
    counter operations, keyed, calls, bytes; /* keyed: those that began with a slot or a key */
    counter cpu_count, cpu_sum, cpu_squares; /* ns, and their squares in units of 1024 ns^2 */
    struct histogram wall[DIRECTIONS][EXPERIMENT_SIZES];
};

struct experiment_counts {
    counter discarded; /* operations that a new start ended */
    struct experiment_arm_counts arms[ARMS];
};

/* What it costs to measure, of an operation that began with a slot and of one that began with a create; median ns. */
struct experiment_overhead {
    uint64_t keyed, alone, cpu;
};

struct experiment_state {
    bool running;
    unsigned number;
    struct experiment_plan plan;
    double started, elapsed;
    struct experiment_overhead overhead;
};

/* Start, stop, end when it is time, look: the helper thread, or root_load for PK11CACHE_AB. Start returns false when
 * one is running. The results stay until the next start. */
bool experiment_start(const struct experiment_plan *plan);
void experiment_stop(void);
void experiment_tick(void);
struct experiment_state experiment_state(void);
void experiment_sum(struct experiment_counts *sum);
/* Parse "SHARE [for SECONDS] [both-bare|both-cached] [delay NS] [seed N]", words by word. NULL, or what is wrong. */
const char *experiment_parse(const char *const *words, unsigned count, struct experiment_plan *plan);

static inline bool experiment_running(void) {
    return unlikely(atomic_load_explicit(&process.experiment, memory_order_relaxed));
}

/* The steps of an operation, from the hooks, when one is running. The first three say whether the call is to be bare.
 */
bool experiment_slot(void);
bool experiment_import(void);
bool experiment_create(const PK11SymKey *key, CK_ATTRIBUTE_TYPE operation);
void experiment_imported(const PK11SymKey *key);
void experiment_created(const PK11Context *context);
void experiment_data(const PK11Context *context, uint64_t bytes);
void experiment_destroyed(const PK11Context *context);
/* Is this the key of a bare operation? Then it is freed by NSS. */
bool experiment_key_is_bare(const PK11SymKey *key);
void experiment_key_freed(const PK11SymKey *key);

#endif
