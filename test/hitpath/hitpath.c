/* The steady hit path: hitpath SEQUENCE[-decrypt|-system-call] THREADS OPS. Counts allocations itself, and brackets the
 * steady part of each thread with two getppid calls, so that strace shows what is between them. Prints the allocations
 * per operation of the steady part. */
#include <nss.h>
#include <stdbool.h>
#include <pk11pub.h>
#include <prerror.h>
#include <pthread.h>
#include <secerr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static __thread unsigned long allocations;
void *malloc(size_t n) {
    allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t m) {
    allocations++;
    return __libc_calloc(n, m);
}
void *realloc(void *p, size_t n) {
    allocations++;
    return __libc_realloc(p, n);
}

static bool hammer, decrypt, system_call;
static unsigned long ops;
static pthread_barrier_t line;
static unsigned char cipher_text[16];
static unsigned char key_bytes[16] = "0123456789abcde", iv[17] = "cephsageyudagreg";

static PK11SymKey *import(PK11SlotInfo *slot) {
    SECItem item = {siBuffer, key_bytes, 16};
    return PK11_ImportSymKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
}

static __thread unsigned long wrong;
static _Atomic unsigned long all_wrong;

/* Made by what main calls first, before anything is cached: the message that the others repeat. */
static void prepare(void) {
    SECItem param = {siBuffer, iv, sizeof iv};
    int length;
    unsigned last;
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    PK11SymKey *key = import(slot);
    PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, CKA_ENCRYPT, key, &param);
    PK11_CipherOp(context, cipher_text, &length, sizeof cipher_text, iv, 13);
    PK11_DigestFinal(context, cipher_text + length, &last, 16);
    PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
}

static void one(PK11SymKey *kept) {
    SECItem param = {siBuffer, iv, sizeof iv};
    unsigned char out[64];
    int length;
    unsigned last;
    PK11SlotInfo *slot = hammer ? PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL) : NULL;
    PK11SymKey *key = hammer ? import(slot) : kept;
    PK11Context *context =
        PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, decrypt ? CKA_DECRYPT : CKA_ENCRYPT, key, &param);
    if (PK11_CipherOp(context, out, &length, sizeof out, decrypt ? cipher_text : iv, decrypt ? 16 : 13) != SECSuccess ||
        PK11_DigestFinal(context, out + length, &last, 16) != SECSuccess ||
        memcmp(out, decrypt ? iv : cipher_text, decrypt ? 13 : 16) != 0)
        wrong++;
    PK11_DestroyContext(context, PR_TRUE);
    if (hammer) {
        PK11_FreeSymKey(key);
        PK11_FreeSlot(slot);
    }
}

static void *work(void *arg) {
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    PK11SymKey *key = import(slot);
    for (int i = 0; i < 50; i++)
        one(key);
    pthread_barrier_wait(&line);
    syscall(SYS_getppid);
    unsigned long before = allocations;
    for (unsigned long i = 0; i < ops; i++)
        one(key);
    if (system_call)
        syscall(SYS_getuid);
    before = allocations - before;
    syscall(SYS_getppid);
    *(unsigned long *)arg = before;
    all_wrong += wrong;
    pthread_barrier_wait(&line);
    PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    hammer = !strncmp(argv[1], "hammer", 6);
    decrypt = strstr(argv[1], "-decrypt");
    system_call = strstr(argv[1], "-system-call");
    int count = atoi(argv[2]);
    ops = strtoul(argv[3], NULL, 10);
    pthread_t threads[8];
    unsigned long counts[8], sum = 0;
    if (count < 1 || count > 8 || NSS_NoDB_Init(NULL) != SECSuccess)
        return 2;
    prepare();
    pthread_barrier_init(&line, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, &counts[i]);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum += counts[i];
    }
    printf("allocations %lu\n", sum);
    return NSS_Shutdown() == SECSuccess && !all_wrong ? 0 : 1;
}
