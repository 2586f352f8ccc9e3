/* Threads that come and go, and code that runs at odd moments of them. */
#include "scenario.h"

#include <pthread.h>

static void *one(void *arg) {
    hammer(arg, 1);
    return NULL;
}

static void in_turn(void *(*run)(void *), int count) {
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, "thread");
        pthread_join(thread, NULL);
    }
}

static void come_and_go(void) {
    init();
    in_turn(one, 50);
    hammer("main", 1);
    print_shutdown("end");
}

static pthread_key_t late;
static void at_thread_end(void *arg) {
    static __thread int again;
    hammer("in a destructor", 1);
    if (again++ < 3)
        pthread_setspecific(late, arg);
}
static void *with_destructor(void *arg) {
    pthread_setspecific(late, arg);
    hammer(arg, 1);
    return NULL;
}

static void destructors(void) {
    init();
    pthread_key_create(&late, at_thread_end);
    in_turn(with_destructor, 5);
    print_shutdown("end");
}

static PK11Context *handed;
static void *takes_over(void *arg) {
    (void)arg;
    message("made by main", handed);
    PK11_DestroyContext(handed, PR_TRUE);
    return NULL;
}

static void handed_over(void) {
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 20; i++) {
        handed = create(key, CKA_ENCRYPT);
        in_turn(takes_over, 1);
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
}

static const struct scenario table[] = {
    {"come_and_go", come_and_go}, {"destructors", destructors}, {"handed_over", handed_over}, {0}};

int main(int argc, char **argv) {
    return scenario_main(argc, argv, table);
}
