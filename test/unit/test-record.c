/* Handles: what they look like, that a stale one is told, and that its record's next owner is out of reach. */
#include "test/unit/mock_nss.h"
#include "stats/counters.h"

static uint64_t stale(void) {
    struct counters sum;
    counters_sum(&sum);
    return sum.stale_handles;
}

static void looks(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(1, 16);
    PK11Context *handle = mock_create(key, CKA_ENCRYPT, 0);
    assert_true(record_is_handle(handle));
    assert_true((intptr_t)handle < 0);
    assert_false(record_is_handle((PK11Context *)&handle));
    assert_false(record_is_handle(NULL));
    cache_destroy(handle);
    real.PK11_FreeSymKey(key);
    mock_stop();
}

static void second_destroy_reaches_nobody(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(2, 16);
    PK11Context *first = mock_create(key, CKA_ENCRYPT, 0);
    cache_destroy(first);
    uint64_t before = stale();
    cache_destroy(first);
    assert_int_equal(stale(), before + 1);
    PK11Context *second = mock_create(key, CKA_ENCRYPT, 0); /* the same record */
    assert_ptr_not_equal(first, second);
    cache_destroy(first);
    bool owner;
    assert_null(record_enter(first, &owner));
    struct record *record = record_enter(second, &owner);
    assert_non_null(record);
    record_leave(record, owner);
    assert_int_equal(stale(), before + 3);
    cache_destroy(second);
    real.PK11_FreeSymKey(key);
    mock_stop();
}

static void nonsense_is_stale(void **state) {
    (void)state;
    mock_start();
    bool owner;
    for (uint64_t bits = 0; bits < 64; bits++)
        assert_null(record_enter((PK11Context *)(UINT64_C(0xff80000000000000) | UINT64_C(1) << bits), &owner));
    mock_stop();
}

static void bounded(void **state) {
    (void)state;
    mock_start();
    long before = options.max_engines.number;
    options.max_engines.number = 5;
    PK11SymKey *key = mock_import(3, 16);
    PK11Context *contexts[8];
    int handles = 0;
    for (int i = 0; i < 8; i++) {
        contexts[i] = mock_create(key, CKA_ENCRYPT, 0);
        handles += record_is_handle(contexts[i]);
    }
    assert_int_equal(handles, 5);
    struct counters sum;
    counters_sum(&sum);
    assert_true(sum.bypass_max_engines >= 3);
    for (int i = 0; i < 8; i++)
        if (record_is_handle(contexts[i]))
            cache_destroy(contexts[i]);
        else
            real.PK11_DestroyContext(contexts[i], PR_TRUE);
    real.PK11_FreeSymKey(key);
    options.max_engines.number = before;
    mock_stop();
    assert_int_equal(mock_contexts_alive, 0);
    assert_int_equal(mock_keys_alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(looks), cmocka_unit_test(second_destroy_reaches_nobody),
                                       cmocka_unit_test(nonsense_is_stale), cmocka_unit_test(bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
