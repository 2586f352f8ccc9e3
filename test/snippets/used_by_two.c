/* Two threads work with one handle at once, against every rule: what they get is theirs, but a third one with
 * contexts of the same key, and whoever comes after them, gets the right answers. The context itself also works
 * again.
 * not in: nproc - it starts threads
 * counts: hits */
#include "snippet.h"

#include <pthread.h>

static PK11Context *shared;

static void *misuses(void *arg) {
    static const unsigned char text[48] = "anything";
    for (int i = 0; i < 500; i++) {
        unsigned char out[96];
        int length = 0;
        unsigned last = 0;
        PK11_CipherOp(shared, out, &length, sizeof out, text, (int)(uintptr_t)arg);
        PK11_DigestFinal(shared, out, &last, sizeof out);
        PK11_DigestBegin(shared);
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
    shared = create(key, CKA_ENCRYPT);
    if (is_handle(shared)) {
        pthread_create(&threads[0], NULL, misuses, (void *)(uintptr_t)29);
        pthread_create(&threads[1], NULL, misuses, (void *)(uintptr_t)48);
    }
    for (int i = 0; i < 2000; i++)
        right += encrypts(key, wanted);
    for (int i = 0; i < 2 && is_handle(shared); i++)
        pthread_join(threads[i], NULL);
    PK11_DestroyContext(shared, PR_TRUE);
    for (int i = 0; i < 50; i++)
        right += encrypts(key, wanted);
    printf("right: %d\n", right);
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
