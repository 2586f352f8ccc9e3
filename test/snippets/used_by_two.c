/* Two threads work with one handle at once, against every rule: what they get is theirs, but a third one with
 * contexts of the same key, and whoever has the engine after them, gets the right answers.
 * Tried: record_enter_slow without its lock: the next owner's answers are wrong.
 * only in: preloaded local thread warm again jemalloc engine_reset verify - it keeps two cores busy
 * counts: hits */
#include "snippet.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 150 };

static PK11Context *_Atomic shared;
static _Atomic bool stop;
static pthread_barrier_t line;

static void *misuses(void *size) {
    static const unsigned char text[48] = "anything";
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&line);
        while (!atomic_load(&stop) && is_handle(shared)) {
            unsigned char out[96];
            int length = 0;
            PK11_CipherOp(shared, out, &length, sizeof out, text, (int)(uintptr_t)size);
        }
        pthread_barrier_wait(&line);
    }
    return NULL;
}

int snippet(void) {
    unsigned char wanted[32];
    pthread_t threads[2];
    int right = 0;
    init();
    PK11SymKey *key = import(1);
    first_answer(key, wanted);
    pthread_barrier_init(&line, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, misuses, (void *)(uintptr_t)(i ? 16 : 48));
    for (int i = 0; i < ROUNDS; i++) {
        shared = create(key, CKA_ENCRYPT);
        atomic_store(&stop, false);
        pthread_barrier_wait(&line);
        right += encrypts(key, wanted);
        usleep(100);
        atomic_store(&stop, true); /* in the middle of their calls */
        pthread_barrier_wait(&line);
        PK11_DestroyContext(shared, PR_TRUE);
        for (int j = 0; j < 4; j++)
            right += encrypts(key, wanted);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("right: %d\n", right);
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
