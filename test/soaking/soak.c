/* soak SECONDS: an NSS program that does everything at once, and knows nothing of the cache: 64 threads over 2,000 keys
 * that come and go (hammer, kept keys, decryption, HMACs, contexts that end elsewhere, second destroys of nobody),
 * auxiliary NSS contexts, and forks while the threads are parked between operations. Every output is compared with
 * OpenSSL's. Prints what it did; exit 1 on a wrong byte, a failed call, a bad child or a failed shutdown. */
#include <nss.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pk11pub.h>
#include <prerror.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 64, KEYS = 2000, LONGEST = 300, IN_HAND = 256 };

static _Atomic bool over;
static _Atomic unsigned long operations, wrong, children, contexts, handed;
static pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER; /* held for reading in an operation, for writing in a fork */
static _Atomic(PK11Context *) in_hand[IN_HAND];            /* made by one thread, ended by another */

struct source {
    unsigned long long state;
};
static unsigned draw(struct source *s, unsigned below) {
    s->state = s->state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(s->state >> 33) % below;
}

static void key_of(unsigned number, unsigned char key[16]) {
    for (unsigned i = 0; i < 16; i++)
        key[i] = (unsigned char)(number * 2654435761u >> (i % 4 * 8) ^ i * 37 ^ number >> i % 7);
}

static void fault(const char *what) {
    if (atomic_fetch_add(&wrong, 1) < 10)
        fprintf(stderr, "wrong: %s (NSS error %d)\n", what, PR_GetError());
}

static PK11SymKey *import(PK11SlotInfo *slot, unsigned char *key, CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation) {
    SECItem item = {siBuffer, key, 16};
    return PK11_ImportSymKey(slot, type, PK11_OriginUnwrap, operation, &item, NULL);
}

static int openssl_cbc(const unsigned char *key, const unsigned char *iv, const unsigned char *in, int n,
                       unsigned char *out) {
    static _Thread_local EVP_CIPHER_CTX *c;
    int length = 0, last = 0;
    if (!c)
        c = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(c, EVP_aes_128_cbc(), NULL, key, iv);
    EVP_EncryptUpdate(c, out, &length, in, n);
    EVP_EncryptFinal_ex(c, out + length, &last);
    return length + last;
}

/* Through NSS, in one or two portions (of whole blocks to decrypt: NSS wants that). -1: a call failed. */
static int nss_cbc(PK11SymKey *key, CK_ATTRIBUTE_TYPE operation, unsigned char *iv, const unsigned char *in, int n,
                   unsigned char *out, int split) {
    SECItem param = {siBuffer, iv, 16};
    int first = 0, second = 0;
    unsigned last = 0;
    PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, operation, key, &param);
    if (!context)
        return -1;
    bool fine = PK11_CipherOp(context, out, &first, LONGEST + 32, in, split) == SECSuccess;
    if (fine && n > split)
        fine = PK11_CipherOp(context, out + first, &second, LONGEST + 32 - first, in + split, n - split) == SECSuccess;
    fine = fine && PK11_DigestFinal(context, out + first + second, &last, 32) == SECSuccess;
    PK11_DestroyContext(context, PR_TRUE);
    return fine ? first + second + (int)last : -1;
}

static void cipher(struct source *s, PK11SlotInfo *slot, unsigned char *key) {
    unsigned char text[LONGEST], wanted[LONGEST + 32], got[LONGEST + 64], iv[16];
    int n = draw(s, 3) ? 29 : 1 + (int)draw(s, LONGEST);
    for (int i = 0; i < n; i++)
        text[i] = (unsigned char)draw(s, 256);
    for (int i = 0; i < 16; i++)
        iv[i] = (unsigned char)draw(s, 256);
    int length = openssl_cbc(key, iv, text, n, wanted);
    PK11SymKey *sym = import(slot, key, CKM_AES_CBC_PAD, CKA_ENCRYPT);
    for (unsigned again = 1 + draw(s, 3); sym && again; again--) {
        if (nss_cbc(sym, CKA_ENCRYPT, iv, text, n, got, 1 + (int)draw(s, (unsigned)n)) != length ||
            memcmp(got, wanted, (size_t)length) != 0)
            fault("encryption");
        if (nss_cbc(sym, CKA_DECRYPT, iv, wanted, length, got, 16 * (1 + (int)draw(s, (unsigned)length / 16))) != n ||
            memcmp(got, text, (size_t)n) != 0)
            fault("decryption");
        atomic_fetch_add_explicit(&operations, 2, memory_order_relaxed);
    }
    sym ? PK11_FreeSymKey(sym) : fault("import");
}

static void mac(struct source *s, PK11SlotInfo *slot, unsigned char *key) {
    unsigned char text[64], wanted[32], got[64];
    unsigned length = 0, n = 1 + draw(s, 64), wanted_length = 0;
    SECItem none = {siBuffer, NULL, 0};
    for (unsigned i = 0; i < n; i++)
        text[i] = (unsigned char)draw(s, 256);
    HMAC(EVP_sha256(), key, 16, text, n, wanted, &wanted_length);
    PK11SymKey *sym = import(slot, key, CKM_SHA256_HMAC, CKA_SIGN);
    PK11Context *context = sym ? PK11_CreateContextBySymKey(CKM_SHA256_HMAC, CKA_SIGN, sym, &none) : NULL;
    if (!context || PK11_DigestBegin(context) != SECSuccess || PK11_DigestOp(context, text, n) != SECSuccess ||
        PK11_DigestFinal(context, got, &length, sizeof got) != SECSuccess || length != 32 ||
        memcmp(got, wanted, 32) != 0)
        fault("HMAC");
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (sym)
        PK11_FreeSymKey(sym);
    atomic_fetch_add_explicit(&operations, 1, memory_order_relaxed);
}

/* A context is left to whoever comes by, in the middle of its message. */
static void hand_over(struct source *s, PK11SlotInfo *slot, unsigned char *key) {
    unsigned char out[64];
    int length;
    SECItem param = {siBuffer, (unsigned char *)"sixteen bytes iv", 16};
    PK11SymKey *sym = import(slot, key, CKM_AES_CBC_PAD, CKA_ENCRYPT);
    PK11Context *context = sym ? PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, CKA_ENCRYPT, sym, &param) : NULL;
    if (!context || PK11_CipherOp(context, out, &length, sizeof out, key, 5) != SECSuccess)
        fault("a context to hand over");
    PK11Context *before = atomic_exchange(&in_hand[draw(s, IN_HAND)], context);
    if (before) {
        unsigned last;
        if (PK11_DigestFinal(before, out, &last, sizeof out) != SECSuccess || last != 16)
            fault("a context that was handed over");
        PK11_DestroyContext(before, PR_TRUE);
        atomic_fetch_add(&handed, 1);
    }
    if (sym)
        PK11_FreeSymKey(sym);
}

static void operation(struct source *s, unsigned base) {
    unsigned char key[16];
    key_of((base + draw(s, draw(s, 4) ? 16 : KEYS)) % KEYS, key);
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    unsigned what = draw(s, 10);
    if (!slot)
        fault("best slot");
    else if (what < 7)
        cipher(s, slot, key);
    else if (what < 9)
        mac(s, slot, key);
    else
        hand_over(s, slot, key);
    if (slot)
        PK11_FreeSlot(slot);
}

static void *work(void *arg) {
    struct source s = {(unsigned long long)(uintptr_t)arg * 7919 + (unsigned long long)time(NULL)};
    unsigned base = (unsigned)(uintptr_t)arg * 31;
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        pthread_rwlock_rdlock(&gate);
        for (int i = 0; i < 16; i++)
            operation(&s, base);
        pthread_rwlock_unlock(&gate);
        base += draw(&s, 40) == 0;
    }
    return NULL;
}

static void *auxiliary(void *arg) {
    (void)arg;
    while (!atomic_load(&over)) {
        NSSInitContext *context = NSS_InitContext("", "", "", "", NULL,
                                                  NSS_INIT_READONLY | NSS_INIT_NOCERTDB | NSS_INIT_NOMODDB |
                                                      NSS_INIT_FORCEOPEN | NSS_INIT_NOROOTINIT);
        if (!context || NSS_ShutdownContext(context) != SECSuccess)
            fault("an auxiliary context");
        atomic_fetch_add(&contexts, 1);
        usleep(20000);
    }
    return NULL;
}

/* The child encrypts as its parent does, and is ended by a watch if it hangs. */
static void fork_once(struct source *s) {
    int status = -1;
    pthread_rwlock_wrlock(&gate);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        atomic_store(&wrong, 0);
        for (int i = 0; i < 20; i++)
            operation(s, draw(s, KEYS));
        _exit(atomic_load(&wrong) ? 1 : 0);
    }
    pthread_rwlock_unlock(&gate);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        fault("a child");
    atomic_fetch_add(&children, 1);
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS + 1];
    unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
    struct source s = {4711};
    pthread_rwlockattr_t writers_first;
    pthread_rwlockattr_init(&writers_first);
    pthread_rwlockattr_setkind_np(&writers_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&gate, &writers_first);
    if (NSS_NoDB_Init(NULL) != SECSuccess)
        return 2;
    time_t end = time(NULL) + seconds;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    pthread_create(&threads[THREADS], NULL, auxiliary, NULL);
    while (time(NULL) < end) {
        fork_once(&s);
        usleep(200000);
    }
    atomic_store(&over, true);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < IN_HAND; i++)
        if (in_hand[i])
            PK11_DestroyContext(in_hand[i], PR_TRUE);
    if (NSS_Shutdown() != SECSuccess)
        fault("NSS_Shutdown");
    printf("%lu operations in %u s, %lu forks, %lu auxiliary contexts, %lu contexts handed over, %lu wrong\n",
           atomic_load(&operations), seconds, atomic_load(&children), atomic_load(&contexts), atomic_load(&handed),
           atomic_load(&wrong));
    return atomic_load(&wrong) != 0;
}
