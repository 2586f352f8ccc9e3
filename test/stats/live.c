/* live [THREADS]: an ordinary NSS program that works when it is told to, line by line on stdin:
 *   run N      every thread does N hammer-era operations          -> "done OPERATIONS WRONG"
 *   bypass N   one thread makes N contexts that no engine serves  -> "done N 0"
 *   fork       fork; the child does 10 operations and waits       -> "done CHILD_PID 0"
 *   forkexit   the same, but the child exits, and is waited for   -> "done STATUS 0"
 *   closefrom  close every descriptor from 3 on, open a few       -> "done 0 WRONG"
 *   key HEX    use this 16-byte key from now on                   -> "done 0 0"
 *   sandbox    go under a seccomp filter (it allows everything)   -> "done 0 0"
 *   objects    what the token holds                               -> "done SESSIONS 0" and "keys N"
 * It ends cleanly at the end of stdin, and knows nothing of the cache. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nss.h>
#include <pk11pub.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 29, THREADS_MAX = 64 };

static unsigned char key_bytes[16] = "live's first key";
static unsigned char wanted[48];
static int wanted_length;
static unsigned long rounds;
static _Atomic unsigned long wrong;

static PK11SymKey *import(PK11SlotInfo *slot) {
    SECItem item = {siBuffer, key_bytes, sizeof key_bytes};
    return PK11_ImportSymKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
}

__attribute__((noinline)) int live_encrypt(unsigned char *out) {
    static const unsigned char text[TEXT] = "a message signature, 29 byte";
    SECItem param = {siBuffer, (unsigned char *)"cephsageyudagreg", 16};
    int length = -1;
    unsigned last = 0;
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    PK11SymKey *key = slot ? import(slot) : NULL;
    PK11Context *context = key ? PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, CKA_ENCRYPT, key, &param) : NULL;
    if (!context || PK11_CipherOp(context, out, &length, 48, text, TEXT) != SECSuccess ||
        PK11_DigestFinal(context, out + length, &last, 48 - (unsigned)length) != SECSuccess)
        length = -1;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (key)
        PK11_FreeSymKey(key);
    if (slot)
        PK11_FreeSlot(slot);
    return length < 0 ? -1 : length + (int)last;
}

static void *work(void *arg) {
    unsigned char out[48];
    for (unsigned long i = 0; i < rounds; i++)
        if (live_encrypt(out) != wanted_length || memcmp(out, wanted, (size_t)wanted_length) != 0)
            atomic_fetch_add(&wrong, 1);
    return arg;
}

static void run(unsigned threads) {
    pthread_t ids[THREADS_MAX];
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, work, NULL);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    printf("done %lu %lu\n", rounds * threads, atomic_load(&wrong));
}

/* GCM has no engine. */
__attribute__((noinline)) void live_bypass(unsigned long times) {
    CK_GCM_PARAMS gcm = {(unsigned char *)"twelve bytes", 12, 96, NULL, 0, 128};
    SECItem param = {siBuffer, (unsigned char *)&gcm, sizeof gcm};
    PK11SlotInfo *slot = PK11_GetInternalSlot();
    SECItem item = {siBuffer, key_bytes, sizeof key_bytes};
    PK11SymKey *key = PK11_ImportSymKey(slot, CKM_AES_GCM, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
    for (unsigned long i = 0; i < times; i++) {
        PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_GCM, CKA_ENCRYPT, key, &param);
        if (context)
            PK11_DestroyContext(context, PR_TRUE);
    }
    PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
    printf("done %lu 0\n", times);
}

static void fork_one(void) {
    pid_t child = fork();
    if (child == 0) {
        rounds = 10;
        work(NULL);
        for (;;)
            pause(); /* until somebody ends it */
    }
    printf("done %d 0\n", (int)child);
}

static void fork_and_wait(void) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        rounds = 10;
        work(NULL);
        usleep(300000); /* its socket has time to come */
        exit(atomic_load(&wrong) != 0);
    }
    waitpid(child, &status, 0);
    printf("done %d 0\n", status);
}

/* As daemons do. The numbers are then the program's again: each must be its own file. */
static void close_and_open(void) {
    int fds[32];
    unsigned long bad = 0;
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    for (int i = 0; i < 32; i++) {
        char name[] = "/tmp/live.XXXXXX";
        fds[i] = mkstemp(name);
        unlink(name);
        bad += fds[i] != i + 3 || write(fds[i], "x", 1) != 1;
    }
    usleep(1500000);
    for (int i = 0; i < 32; i++)
        bad += lseek(fds[i], 0, SEEK_CUR) != 1 || close(fds[i]) != 0;
    printf("done 0 %lu\n", bad);
}

/* Sessions that are open on the internal token, and its secret keys, those of sessions too. */
static void count_objects(void) {
    CK_TOKEN_INFO info;
    unsigned keys = 0;
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    PK11_GetTokenInfo(slot, &info);
    PK11GenericObject *objects = PK11_FindGenericObjects(slot, CKO_SECRET_KEY);
    for (PK11GenericObject *o = objects; o; o = PK11_GetNextGenericObject(o))
        keys++;
    PK11_DestroyGenericObjects(objects);
    PK11_FreeSlot(slot);
    printf("keys %u\ndone %lu 0\n", keys, (unsigned long)info.ulSessionCount);
}

static void go_into_a_sandbox(void) {
    struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    struct sock_fprog filter = {1, &allow};
    int failed = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
    printf("done 0 %d\n", failed);
}

static void take_key(const char *hex) {
    for (unsigned i = 0; i < sizeof key_bytes; i++) {
        unsigned byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        key_bytes[i] = (unsigned char)byte;
    }
    wanted_length = live_encrypt(wanted);
    printf("done 0 0\n");
}

int main(int argc, char **argv) {
    unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    char line[256];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (threads < 1 || threads > THREADS_MAX || NSS_NoDB_Init(NULL) != SECSuccess)
        return 2;
    wanted_length = live_encrypt(wanted);
    printf("ready %d\n", (int)getpid());
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "run %lu", &rounds) == 1)
            run(threads);
        else if (sscanf(line, "bypass %lu", &rounds) == 1)
            live_bypass(rounds);
        else if (strncmp(line, "forkexit", 8) == 0)
            fork_and_wait();
        else if (strncmp(line, "fork", 4) == 0)
            fork_one();
        else if (strncmp(line, "closefrom", 9) == 0)
            close_and_open();
        else if (strncmp(line, "sandbox", 7) == 0)
            go_into_a_sandbox();
        else if (strncmp(line, "objects", 7) == 0)
            count_objects();
        else if (strncmp(line, "key ", 4) == 0)
            take_key(line + 4);
    }
    return NSS_Shutdown() == SECSuccess ? 0 : 1;
}
