/* Row "libp11#39, pkcs11-helper#5": handlers of pthread_atfork that do work deadlock. Forks while two threads make
 * and drop keys, so that some of them find locks of ours held; the children only end.
 * Tried: `forked` takes the locks of the parent's root and shards: children hang.
 * only in: preloaded local thread warm again jemalloc tcmalloc verify - it keeps two cores busy
 * counts: hits */
#include "snippet.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static _Atomic bool ended;

static void *works(void *arg) {
    unsigned char out[32];
    for (unsigned i = 0; !atomic_load(&ended); i++) {
        PK11SymKey *key = key_for(CKM_AES_CBC_PAD, CKA_ENCRYPT, (unsigned char)i, (unsigned)(uintptr_t)arg);
        first_answer(key, out);
        PK11_GetKeyData(key); /* it leaves the cache: the next round makes it anew */
        PK11_FreeSymKey(key);
    }
    return NULL;
}

static bool ends(pid_t child) {
    for (int i = 0; i < 2000; i++) {
        if (waitpid(child, NULL, WNOHANG) == child)
            return true;
        usleep(i < 20 ? 100 : 1000);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return false;
}

int snippet(void) {
    pthread_t threads[2];
    int hung = 0;
    init();
    hammer("before", 1);
    hammer("before", 1);
    atomic_store(&ended, false);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, works, (void *)(uintptr_t)(16 + i * 8));
    for (int i = 0; i < 60 && hung < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        hung += !ends(child);
    }
    atomic_store(&ended, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("children that hang: %d\n", hung);
    print_shutdown("end");
    return 0;
}
