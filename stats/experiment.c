#include "stats/experiment.h"
#include "preload/libc.h"
#include "preload/magazine.h"
#include "preload/secret.h"

#include <string.h>
#include <time.h>

enum stage {
    STAGE_NONE,
    STAGE_SLOT,    /* began with a slot; its key comes */
    STAGE_KEY,     /* has its key */
    STAGE_CONTEXT, /* has its key and a context */
    STAGE_ALONE,   /* began with a create */
};

enum { CPU_ONE_IN = 256 };

struct experiment_thread {
    struct experiment_thread *next; /* of this process; never unlinked */
    _Atomic unsigned number;
    uint64_t random;
    enum stage stage;
    enum experiment_arm arm;
    enum experiment_direction direction;
    bool cpu;
    const void *key, *context;
    uint64_t start, cpu_start, bytes, calls;
    struct experiment_counts counts;
};

const char *const experiment_directions[DIRECTIONS] = {"encrypt", "decrypt", "sign"};
const unsigned experiment_size_limits[EXPERIMENT_SIZES] = {32, 64, 128, 256, 1024, 4096, 0};

static struct experiment_state current; /* the helper's */

/* What the hooks need of its plan. */
static _Atomic uint64_t threshold, seed; /* of a 32-bit draw; 2^32 is "always" */
static _Atomic int kind;
static _Atomic unsigned delay, threads_seen;

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void publish(const struct experiment_plan *plan) {
    atomic_store(&threshold, (uint64_t)(plan->share * 4294967296.0));
    atomic_store(&seed, plan->seed ? plan->seed : clock_ns(CLOCK_MONOTONIC));
    atomic_store(&kind, plan->kind);
    atomic_store(&delay, plan->delay);
    atomic_store(&threads_seen, 0);
}

static uint64_t draw(struct experiment_thread *t) { /* xorshift64* */
    t->random ^= t->random >> 12;
    t->random ^= t->random << 25;
    t->random ^= t->random >> 27;
    return t->random * UINT64_C(2685821657736338717);
}

static unsigned size_class(uint64_t bytes) {
    unsigned i = 0;
    while (i + 1 < EXPERIMENT_SIZES && bytes > experiment_size_limits[i])
        i++;
    return i;
}

static bool is_bare(const struct experiment_thread *t) {
    int which = atomic_load_explicit(&kind, memory_order_relaxed);
    return which == EXPERIMENT_BOTH_BARE || (which == EXPERIMENT_AB && t->arm == ARM_CONTROL);
}

static void discard(struct experiment_thread *t) {
    if (t->stage != STAGE_NONE)
        counter_add_own(&t->counts.discarded, 1);
    t->stage = STAGE_NONE;
}

/* The clock is read last here, and first in finish. */
static void begin(struct experiment_thread *t, enum stage stage) {
    discard(t);
    uint64_t random = draw(t);
    t->arm = random >> 32 < atomic_load_explicit(&threshold, memory_order_relaxed) ? ARM_CONTROL : ARM_CACHED;
    t->cpu = (uint32_t)random % CPU_ONE_IN == 0;
    t->stage = stage;
    t->key = t->context = NULL;
    t->bytes = t->calls = 0;
    t->cpu_start = t->cpu ? clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    t->start = clock_ns(CLOCK_MONOTONIC);
}

static void finish(struct experiment_thread *t) {
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    struct experiment_arm_counts *c = &t->counts.arms[t->arm];
    unsigned later = atomic_load_explicit(&delay, memory_order_relaxed);
    if (unlikely(later) && t->arm == ARM_CONTROL) {
        now += later; /* it counts as exactly this */
        while (clock_ns(CLOCK_MONOTONIC) < now) {
        }
    }
    if (t->cpu) {
        uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->cpu_start;
        counter_add_own(&c->cpu_count, 1);
        counter_add_own(&c->cpu_sum, cpu);
        counter_add_own(&c->cpu_squares, cpu * cpu / 1024);
    } else {
        histogram_add_own(&c->wall[t->direction][size_class(t->bytes)], now - t->start);
    }
    counter_add_own(&c->operations, 1);
    counter_add_own(&c->keyed, t->stage != STAGE_ALONE);
    counter_add_own(&c->calls, t->calls);
    counter_add_own(&c->bytes, t->bytes);
    t->stage = STAGE_NONE;
}

/* The first steps of each call; `t` is the thread's, or the calibration's. */
static bool step_slot(struct experiment_thread *t) {
    begin(t, STAGE_SLOT);
    t->calls++;
    return is_bare(t);
}

static bool step_import(struct experiment_thread *t) {
    if (t->stage != STAGE_SLOT)
        begin(t, STAGE_SLOT);
    t->calls++;
    return is_bare(t);
}

static void step_imported(struct experiment_thread *t, const void *key) {
    if (!key)
        discard(t);
    else if (t->stage == STAGE_SLOT) {
        t->stage = STAGE_KEY;
        t->key = key;
    }
}

static bool step_create(struct experiment_thread *t, const void *key, CK_ATTRIBUTE_TYPE operation) {
    bool goes_on = (t->stage == STAGE_KEY || t->stage == STAGE_CONTEXT) && key && t->key == key;
    if (!goes_on)
        begin(t, STAGE_ALONE);
    t->direction = operation == CKA_DECRYPT   ? DIRECTION_DECRYPT
                   : operation == CKA_ENCRYPT ? DIRECTION_ENCRYPT
                                              : DIRECTION_SIGN;
    t->calls++;
    return is_bare(t);
}

static void step_created(struct experiment_thread *t, const void *context) {
    if (!context || t->stage == STAGE_NONE) {
        discard(t);
        return;
    }
    t->context = context;
    if (t->stage == STAGE_KEY)
        t->stage = STAGE_CONTEXT;
}

static void step_data(struct experiment_thread *t, const void *context, uint64_t bytes) {
    if (t->context == context && t->stage != STAGE_NONE) {
        t->calls++;
        t->bytes += bytes;
    }
}

static void step_destroyed(struct experiment_thread *t, const void *context) {
    if (t->context != context || t->stage == STAGE_NONE)
        return;
    t->calls++;
    t->context = NULL;
    if (t->stage == STAGE_ALONE)
        finish(t);
}

static void step_key_freed(struct experiment_thread *t, const void *key) {
    if (t->key != key || t->stage == STAGE_NONE)
        return;
    t->calls++;
    if (t->stage == STAGE_CONTEXT)
        finish(t);
    else
        discard(t);
}

/* The thread's own, fresh for this experiment; NULL: it takes no part. */
static struct experiment_thread *self(void) {
    enum magazine_refusal why;
    struct magazine *m = magazine_mine();
    if (!m && !(m = magazine_attach(&why)))
        return NULL;
    struct experiment_thread *t = m->experiment;
    if (unlikely(!t)) {
        if (!(t = root_pages(sizeof *t)))
            return NULL;
        m->experiment = t;
        t->next = atomic_load(&m->root->experiment_threads);
        while (!atomic_compare_exchange_weak(&m->root->experiment_threads, &t->next, t)) {
        }
    }
    unsigned number = atomic_load_explicit(&process.experiment, memory_order_acquire);
    if (unlikely(atomic_load_explicit(&t->number, memory_order_relaxed) != number) && number) {
        atomic_store(&t->number, 0);
        memset(&t->counts, 0, sizeof t->counts);
        t->stage = STAGE_NONE;
        t->random =
            secret_mix(atomic_load(&seed) + UINT64_C(0x9e3779b97f4a7c15) * (atomic_fetch_add(&threads_seen, 1) + 1),
                       UINT64_C(0xd1342543de82ef95)) |
            1;
        atomic_store_explicit(&t->number, number, memory_order_release);
    }
    return t;
}

bool experiment_slot(void) {
    struct experiment_thread *t = self();
    return t && step_slot(t);
}
bool experiment_import(void) {
    struct experiment_thread *t = self();
    return t && step_import(t);
}
bool experiment_create(const PK11SymKey *key, CK_ATTRIBUTE_TYPE operation) {
    struct experiment_thread *t = self();
    return t && step_create(t, key, operation);
}
void experiment_imported(const PK11SymKey *key) {
    struct experiment_thread *t = self();
    if (t)
        step_imported(t, key);
}
void experiment_created(const PK11Context *context) {
    struct experiment_thread *t = self();
    if (t)
        step_created(t, context);
}
void experiment_data(const PK11Context *context, uint64_t bytes) {
    struct experiment_thread *t = self();
    if (t)
        step_data(t, context, bytes);
}
void experiment_destroyed(const PK11Context *context) {
    struct experiment_thread *t = self();
    if (t)
        step_destroyed(t, context);
}
bool experiment_key_is_bare(const PK11SymKey *key) {
    struct experiment_thread *t = self();
    return t && t->stage != STAGE_NONE && t->key == key && is_bare(t);
}
void experiment_key_freed(const PK11SymKey *key) {
    struct experiment_thread *t = self();
    if (t)
        step_key_freed(t, key);
}

/* An operation of no work at all: what is left is the cost of measuring. */
static void empty_operation(struct experiment_thread *t, bool keyed) {
    const char context = 0, key = 0;
    if (keyed) {
        step_slot(t);
        step_import(t);
        step_imported(t, &key);
    }
    step_create(t, &key, CKA_ENCRYPT);
    step_created(t, &context);
    step_data(t, &context, 0);
    step_data(t, &context, 0);
    step_destroyed(t, &context);
    if (keyed)
        step_key_freed(t, &key);
}

static struct experiment_overhead calibrate(void) {
    enum { ROUNDS = 20000 };
    struct experiment_overhead overhead = {0};
    struct experiment_thread *t = root_pages(sizeof *t);
    if (!t)
        return overhead;
    atomic_store(&delay, 0); /* it is no cost of measuring */
    for (int keyed = 0; keyed < 2; keyed++) {
        memset(&t->counts, 0, sizeof t->counts);
        t->random = 88172645463325252u;
        for (int i = 0; i < ROUNDS; i++)
            empty_operation(t, keyed);
        struct histogram *h = &t->counts.arms[ARM_CACHED].wall[DIRECTION_ENCRYPT][0];
        if (!h->count)
            h = &t->counts.arms[ARM_CONTROL].wall[DIRECTION_ENCRYPT][0];
        *(keyed ? &overhead.keyed : &overhead.alone) = histogram_quantile(h, 0.5);
        uint64_t cpus = t->counts.arms[0].cpu_count + t->counts.arms[1].cpu_count;
        overhead.cpu = cpus ? (t->counts.arms[0].cpu_sum + t->counts.arms[1].cpu_sum) / cpus : 0;
    }
    root_pages_free(t, sizeof *t);
    return overhead;
}

static double seconds(void) {
    return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
}

bool experiment_start(const struct experiment_plan *plan) {
    if (current.running)
        return false;
    current.plan = *plan;
    publish(plan);
    current.overhead = calibrate();
    publish(plan);
    current.started = seconds();
    current.running = true;
    current.number++;
    atomic_store_explicit(&process.experiment, current.number, memory_order_release);
    return true;
}

void experiment_stop(void) {
    if (!current.running)
        return;
    atomic_store(&process.experiment, 0);
    current.elapsed = seconds() - current.started;
    current.running = false;
}

void experiment_tick(void) {
    if (current.running && current.plan.seconds > 0 && seconds() - current.started >= current.plan.seconds)
        experiment_stop();
}

struct experiment_state experiment_state(void) {
    struct experiment_state state = current;
    if (state.running)
        state.elapsed = seconds() - state.started;
    return state;
}

static void add_arm(struct experiment_arm_counts *sum, const struct experiment_arm_counts *from) {
    sum->operations += from->operations;
    sum->keyed += from->keyed;
    sum->calls += from->calls;
    sum->bytes += from->bytes;
    sum->cpu_count += from->cpu_count;
    sum->cpu_sum += from->cpu_sum;
    sum->cpu_squares += from->cpu_squares;
    for (int direction = 0; direction < DIRECTIONS; direction++)
        for (int size = 0; size < EXPERIMENT_SIZES; size++)
            if (from->wall[direction][size].count)
                histogram_merge(&sum->wall[direction][size], &from->wall[direction][size]);
}

void experiment_sum(struct experiment_counts *sum) {
    struct root *root = root_peek();
    memset(sum, 0, sizeof *sum);
    for (struct experiment_thread *t = root && current.number ? atomic_load(&root->experiment_threads) : NULL; t;
         t = t->next) {
        if (atomic_load_explicit(&t->number, memory_order_acquire) != current.number)
            continue;
        sum->discarded += t->counts.discarded;
        add_arm(&sum->arms[ARM_CONTROL], &t->counts.arms[ARM_CONTROL]);
        add_arm(&sum->arms[ARM_CACHED], &t->counts.arms[ARM_CACHED]);
    }
}
