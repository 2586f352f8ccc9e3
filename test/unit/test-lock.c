/* The biased lock: owner and others exclude each other, with cheap barriers and without. */
#include "test/unit/mock_nss.h"
#include "preload/biased_lock.h"

#include <pthread.h>

enum { ROUNDS = 200000, FOREIGN_ROUNDS = 2000 };
static struct biased_lock lock;
static long shared_value;
static _Atomic bool owner_done;

static void *owner(void *arg) {
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        bool mode = biased_lock_enter_owner(&lock);
        shared_value++;
        biased_lock_leave(&lock, mode);
    }
    atomic_store(&owner_done, true);
    return NULL;
}

static void *foreigner(void *arg) {
    (void)arg;
    for (int i = 0; i < FOREIGN_ROUNDS; i++) {
        bool mode = biased_lock_enter_foreign(&lock);
        shared_value++;
        biased_lock_leave(&lock, mode);
    }
    return NULL;
}

static void exclude(bool cheap) {
    biased_lock_init(cheap);
    memset(&lock, 0, sizeof lock);
    biased_lock_reset(&lock);
    shared_value = 0;
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, owner, NULL);
    for (int i = 1; i < 3; i++)
        pthread_create(&threads[i], NULL, foreigner, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared_value, ROUNDS + 2 * FOREIGN_ROUNDS);
}

static void with_barrier(void **state) {
    (void)state;
    exclude(true);
}
static void without_barrier(void **state) {
    (void)state;
    exclude(false);
}

/* A magazine: the owner only tries, and a sweeper announces, seizes and releases. */
static void *trier(void *arg) {
    long *entered = arg;
    for (int i = 0; i < ROUNDS; i++) {
        bool mode;
        if (!biased_lock_try(&lock, &mode))
            continue;
        shared_value++;
        ++*entered;
        biased_lock_leave(&lock, mode);
    }
    atomic_store(&owner_done, true);
    return NULL;
}

static void sweep(bool cheap) {
    biased_lock_init(cheap);
    memset(&lock, 0, sizeof lock);
    biased_lock_reset(&lock);
    shared_value = 0;
    long entered = 0, swept = 0;
    pthread_t thread;
    atomic_store(&owner_done, false);
    pthread_create(&thread, NULL, trier, &entered);
    while (!atomic_load(&owner_done)) {
        biased_lock_announce(&lock);
        biased_lock_barrier();
        bool seized = biased_lock_seize(&lock);
        if (seized) {
            shared_value++;
            swept++;
        }
        biased_lock_release(&lock, seized);
    }
    pthread_join(thread, NULL);
    assert_int_equal(shared_value, entered + swept);
}

static void sweep_with_barrier(void **state) {
    (void)state;
    sweep(true);
}
static void sweep_without_barrier(void **state) {
    (void)state;
    sweep(false);
}

static void no_second_entry(void **state) {
    (void)state;
    for (int cheap = 0; cheap < 2; cheap++) {
        bool first, second;
        biased_lock_init(cheap);
        memset(&lock, 0, sizeof lock);
        biased_lock_reset(&lock);
        assert_true(biased_lock_try(&lock, &first));
        assert_false(biased_lock_try(&lock, &second)); /* a signal handler inside */
        biased_lock_leave(&lock, first);
        assert_true(biased_lock_try(&lock, &first));
        biased_lock_leave(&lock, first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_barrier), cmocka_unit_test(without_barrier),
                                       cmocka_unit_test(sweep_with_barrier), cmocka_unit_test(sweep_without_barrier),
                                       cmocka_unit_test(no_second_entry)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
