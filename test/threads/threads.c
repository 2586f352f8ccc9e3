/* Threads at the cache: shared and private keys, contexts made on one thread and destroyed on another, flush and ageing
 * all the while, threads that come and go, and handles that two threads destroy at the same time. Every output is
 * checked. Bounded by operations. */
#include "preload/cache.h"

#include <dlfcn.h>
#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, KEYS = 6, QUEUE = 64, LONGEST = 300 };

static unsigned long ops = 20000;
static unsigned char plain[LONGEST], wanted[KEYS][LONGEST + 16], hmacs[KEYS][32];
static _Atomic int failures;
static _Atomic bool done;

static void fail(const char *what) {
    if (atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "wrong: %s (error %d)\n", what, PR_GetError());
}

static PK11SymKey *import(int which, CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation) {
    unsigned char bytes[16];
    memset(bytes, 'a' + which, sizeof bytes);
    SECItem item = {siBuffer, bytes, sizeof bytes};
    PK11SlotInfo *slot = PK11_GetBestSlot(mechanism, NULL);
    PK11SymKey *key = PK11_ImportSymKey(slot, mechanism, PK11_OriginUnwrap, operation, &item, NULL);
    PK11_FreeSlot(slot);
    return key;
}

static PK11Context *create(PK11SymKey *key, bool decrypt) {
    SECItem param = {siBuffer, (unsigned char *)"cephsageyudagreg", 17};
    return PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, decrypt ? CKA_DECRYPT : CKA_ENCRYPT, key, &param);
}

/* CBC: a longer message's cipher text begins as the longest one's does, up to the last whole block. */
static void check(PK11Context *context, int which, bool decrypt, int n) {
    unsigned char out[LONGEST + 32];
    int length = 0;
    unsigned last = 0;
    n = decrypt ? LONGEST : n;
    const unsigned char *in = decrypt ? wanted[which] : plain, *want = decrypt ? plain : wanted[which];
    int in_length = decrypt ? (LONGEST / 16 + 1) * 16 : n;
    if (!context || PK11_CipherOp(context, out, &length, sizeof out, in, in_length) != SECSuccess ||
        PK11_DigestFinal(context, out + length, &last, 16) != SECSuccess)
        fail("the call");
    else if (memcmp(out, want, (size_t)(decrypt ? n : n & ~15)) ||
             length + (int)last != (decrypt ? n : (n / 16 + 1) * 16))
        fail("the output");
}

static void sign(int which) {
    SECItem none = {siBuffer, NULL, 0};
    unsigned char out[32];
    unsigned length = 0;
    PK11SymKey *key = import(which, CKM_SHA256_HMAC, CKA_SIGN);
    PK11Context *context = PK11_CreateContextBySymKey(CKM_SHA256_HMAC, CKA_SIGN, key, &none);
    if (!context || PK11_DigestBegin(context) != SECSuccess || PK11_DigestOp(context, plain, 100) != SECSuccess ||
        PK11_DigestFinal(context, out, &length, 32) != SECSuccess || memcmp(out, hmacs[which], 32))
        fail("the HMAC");
    PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
}

/* Contexts that wait to be used and destroyed by whoever takes them out. */
static struct {
    PK11Context *context;
    int which;
} queue[QUEUE];
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

static void swap(unsigned place, PK11Context **context, int *which) {
    pthread_mutex_lock(&queue_lock);
    PK11Context *other = queue[place % QUEUE].context;
    int other_which = queue[place % QUEUE].which;
    queue[place % QUEUE].context = *context;
    queue[place % QUEUE].which = *which;
    *context = other;
    *which = other_which;
    pthread_mutex_unlock(&queue_lock);
}

static void one_round(unsigned number, unsigned long i) {
    int which = (int)(i % 3 ? number % KEYS : i % KEYS); /* a key of its own, or one of all */
    PK11SymKey *key = import(which, CKM_AES_CBC_PAD, CKA_ENCRYPT);
    PK11Context *context = create(key, i % 2);
    if (i % 5 == 0 && i % 2 == 0) {
        swap((unsigned)i / 5 + number, &context, &which);
        if (context)
            check(context, which, false, (int)(i % LONGEST));
    } else {
        check(context, which, i % 2, (int)(i % LONGEST));
    }
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    /* A second destroy of a handle, as ceph#6698 does it, reaches nobody. */
    if (context && record_is_handle(context) && i % 7 == 0)
        PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
    if (i % 11 == 0)
        sign((int)(i % KEYS));
}

static void *work(void *arg) {
    unsigned number = (unsigned)(uintptr_t)arg;
    for (unsigned long i = 0; i < ops; i++)
        one_round(number, i + number * 13);
    return NULL;
}

/* A thread for every few operations. */
static void *churn_part(void *arg) {
    for (unsigned long i = 0; i < 20; i++)
        one_round((unsigned)(uintptr_t)arg, i);
    return NULL;
}
static void *churn(void *arg) {
    for (unsigned long i = 0; i < ops / 100; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, churn_part, arg) == 0)
            pthread_join(thread, NULL);
    }
    return NULL;
}

/* Two threads destroy the same handles (only handles: for a real context it would be a use after free), while two
 * others check. */
static _Atomic(PK11Context *) both_destroy;
static _Atomic unsigned long raced;

static void *make_and_destroy(void *arg) {
    (void)arg;
    PK11SymKey *key = import(0, CKM_AES_CBC_PAD, CKA_ENCRYPT);
    for (unsigned long i = 0; i < ops / 4; i++) {
        PK11Context *context = create(key, i % 2);
        if (!context || !record_is_handle(context)) {
            if (context)
                PK11_DestroyContext(context, PR_TRUE);
            continue;
        }
        atomic_store(&both_destroy, context);
        if (i % 3 == 0)
            sched_yield();
        PK11_DestroyContext(context, PR_TRUE);
        raced++;
    }
    PK11_FreeSymKey(key);
    return NULL;
}

static void *destroy_too(void *arg) {
    unsigned char out[64];
    int length;
    while (!atomic_load((_Atomic bool *)arg)) {
        PK11Context *context = atomic_exchange(&both_destroy, NULL);
        if (context) {
            PK11_CipherOp(context, out, &length, sizeof out, plain, 20); /* alive or not, it is nobody else's */
            PK11_DestroyContext(context, PR_TRUE);
        } else {
            sched_yield();
        }
    }
    return NULL;
}

static void *check_only(void *arg) {
    for (unsigned long i = 0; i < ops / 4; i++) {
        int which = (int)((uintptr_t)arg * (i % KEYS)); /* the first thread: the key of the race */
        PK11SymKey *key = import(which, CKM_AES_CBC_PAD, CKA_ENCRYPT);
        PK11Context *context = create(key, i % 2);
        check(context, which, i % 2, (int)(i % LONGEST));
        PK11_DestroyContext(context, PR_TRUE);
        PK11_FreeSymKey(key);
    }
    return NULL;
}

static void double_destroys(void) {
    static _Atomic bool stop;
    pthread_t maker, destroyer, checkers[2];
    pthread_create(&destroyer, NULL, destroy_too, &stop);
    pthread_create(&maker, NULL, make_and_destroy, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&checkers[i], NULL, check_only, (void *)(uintptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(checkers[i], NULL);
    pthread_join(maker, NULL);
    atomic_store(&stop, true);
    pthread_join(destroyer, NULL);
}

static void *disturb(void *arg) {
    (void)arg;
    for (unsigned i = 0; !atomic_load(&done); i++) {
        struct counters sum;
        counters_sum(&sum);
        if (i % 3 == 0)
            cache_flush();
        else
            cache_age();
        sched_yield();
    }
    return NULL;
}

static void prepare(void) {
    for (int i = 0; i < LONGEST; i++)
        plain[i] = (unsigned char)(i * 3);
    for (int which = 0; which < KEYS; which++) {
        void *nss = dlopen("libnss3.so", RTLD_NOW | RTLD_NOLOAD);
        __typeof__(PK11_CipherOp) *op = (__typeof__(PK11_CipherOp) *)dlsym(nss, "PK11_CipherOp");
        __typeof__(PK11_DigestFinal) *final = (__typeof__(PK11_DigestFinal) *)dlsym(nss, "PK11_DigestFinal");
        __typeof__(PK11_CreateContextBySymKey) *make =
            (__typeof__(PK11_CreateContextBySymKey) *)dlsym(nss, "PK11_CreateContextBySymKey");
        __typeof__(PK11_DestroyContext) *destroy = (__typeof__(PK11_DestroyContext) *)dlsym(nss, "PK11_DestroyContext");
        __typeof__(PK11_DigestOp) *digest = (__typeof__(PK11_DigestOp) *)dlsym(nss, "PK11_DigestOp");
        SECItem param = {siBuffer, (unsigned char *)"cephsageyudagreg", 17}, none = {siBuffer, NULL, 0};
        int length = 0;
        unsigned last = 0;
        PK11SymKey *key = import(which, CKM_AES_CBC_PAD, CKA_ENCRYPT),
                   *signer = import(which, CKM_SHA256_HMAC, CKA_SIGN);
        PK11Context *context = make(CKM_AES_CBC_PAD, CKA_ENCRYPT, key, &param);
        op(context, wanted[which], &length, sizeof wanted[which], plain, LONGEST);
        final(context, wanted[which] + length, &last, 16);
        destroy(context, PR_TRUE);
        context = make(CKM_SHA256_HMAC, CKA_SIGN, signer, &none);
        digest(context, plain, 100);
        final(context, hmacs[which], &last, 32);
        destroy(context, PR_TRUE);
        PK11_FreeSymKey(key);
        PK11_FreeSymKey(signer);
    }
}

static void run(void *(*body)(void *), int count) {
    pthread_t threads[THREADS];
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    pthread_t disturber;
    if (argc > 1)
        ops = strtoul(argv[1], NULL, 10);
    if (NSS_NoDB_Init(NULL) != SECSuccess)
        return 2;
    prepare();
    pthread_create(&disturber, NULL, disturb, NULL);
    run(work, THREADS);
    run(churn, 4);
    atomic_store(&done, true);
    pthread_join(disturber, NULL);
    run(work, THREADS); /* and undisturbed */
    double_destroys();
    for (int i = 0; i < QUEUE; i++)
        if (queue[i].context)
            PK11_DestroyContext(queue[i].context, PR_TRUE);
    struct counters sum;
    counters_sum(&sum);
    uint64_t calls = counters_calls(&sum), hits = counters_hits(&sum);
    printf("calls %llu, hits %llu, misses %llu, bypasses %llu, flushes %llu\n", (unsigned long long)calls,
           (unsigned long long)hits, (unsigned long long)counters_misses(&sum),
           (unsigned long long)counters_bypasses(&sum), (unsigned long long)sum.flushes);
    printf("raced destroys %lu, stale handles %llu\n", (unsigned long)raced, (unsigned long long)sum.stale_handles);
    if ((!raced && !getenv("PK11CACHE_AB")) || !sum.stale_handles) /* a bare context is not destroyed twice */
        fail("the races");
    /* Each operation does an import, a create and a best slot at least once. */
    uint64_t least = 2 * THREADS * ops;
    if (sum.create_hits + sum.create_misses + sum.create_bypasses < least ||
        sum.import_hits + sum.import_misses + sum.import_bypasses < least ||
        sum.best_slot_hits + sum.best_slot_misses + sum.best_slot_bypasses < least)
        fail("the number of calls");
    if (!hits || !sum.flushes)
        fail("the counters");
    if (NSS_Shutdown() != SECSuccess)
        fail("NSS_Shutdown");
    return atomic_load(&failures) != 0;
}
