/* Two threads destroy one handle at the same moment: it goes once, and the others' answers stay right. Only handles:
 * bare NSS would free twice.
 * Tried: cache_destroy makes the handle stale only after it left the record's lock: the program crashes.
 * not in: nproc - it starts threads
 * counts: second_destroys=300 */
#include "snippet.h"

#include <pthread.h>

enum { ROUNDS = 300 };

static PK11SymKey *key;
static PK11Context *_Atomic shared;
static pthread_barrier_t line;

static void *destroys(void *also) {
    for (int i = 0; i < ROUNDS; i++) {
        if (!also)
            shared = create(key, CKA_ENCRYPT);
        pthread_barrier_wait(&line);
        if (!also || is_handle(shared))
            PK11_DestroyContext(shared, PR_TRUE);
        pthread_barrier_wait(&line);
    }
    return NULL;
}

int snippet(void) {
    unsigned char wanted[32];
    pthread_t threads[2];
    int right = 0;
    init();
    key = import(1);
    first_answer(key, wanted);
    pthread_barrier_init(&line, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, destroys, i ? &line : NULL);
    for (int i = 0; i < 2000; i++)
        right += encrypts(key, wanted);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 50; i++)
        right += encrypts(key, wanted);
    printf("right: %d\n", right);
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
