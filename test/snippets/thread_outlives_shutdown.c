/* Row "libreswan#2461": of two threads that used NSS one ends after the shutdown, while NSS is down, and the other
 * uses it again after the next init, and ends at last. Their magazines hold keys and contexts when NSS goes.
 * Tried: sweep_magazines left out of `empty`: NSS_Shutdown gives -8053.
 * not in: nproc nofile - it starts threads; NSS opens files when it is initialised again
 * counts: hits */
#include "snippet.h"

#include <pthread.h>
#include <semaphore.h>

static sem_t go[2], done;

static void *lives(void *arg) {
    unsigned char wanted[32];
    sem_t *mine = arg;
    for (int rounds = mine == &go[0] ? 1 : 2; rounds > 0; rounds--) {
        PK11SymKey *key = import(1);
        first_answer(key, wanted);
        if (!encrypts(key, wanted))
            printf("wrong\n");
        PK11_FreeSymKey(key);
        sem_post(&done);
        sem_wait(mine);
    }
    return NULL;
}

int snippet(void) {
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++) {
        pthread_t threads[2];
        init();
        for (int j = 0; j < 2; j++) {
            sem_init(&go[j], 0, 0);
            pthread_create(&threads[j], NULL, lives, &go[j]);
            sem_wait(&done);
        }
        print_shutdown("with two threads");
        sem_post(&go[0]);
        pthread_join(threads[0], NULL);
        init();
        sem_post(&go[1]);
        sem_wait(&done);
        hammer("main", 1);
        print_shutdown("with one");
        sem_post(&go[1]);
        pthread_join(threads[1], NULL);
    }
    return 0;
}
