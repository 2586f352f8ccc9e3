/* The cache over mocks: who is asked how often, that references add up, flush, age, forget, stale, bounds, threads. */
#include "test/unit/mock_nss.h"

#include <pthread.h>

static struct counters sum(void) {
    struct counters c;
    counters_sum(&c);
    return c;
}

static void once_per_key(void **state) {
    (void)state;
    mock_start();
    for (int i = 0; i < 1000; i++) {
        PK11SymKey *key = mock_import((unsigned char)(i % 3 + 1), 16);
        assert_int_equal(key->bytes[0], i % 3 + 1);
        cache_destroy(mock_create(key, CKA_ENCRYPT, (unsigned char)i));
        if (!cache_take_key(key))
            real.PK11_FreeSymKey(key);
    }
    assert_int_equal(mock_imports, 3);
    assert_true(mock_creates <= 3 * 3 + 1 + 3 * 4); /* three engines a key, a parameter, and four attempts to verify each */
    struct counters c = sum();
    assert_int_equal(c.create_hits + c.create_misses + c.create_bypasses, 1000);
    assert_int_equal(c.import_misses, 3);
    assert_int_equal(c.import_hits, 997);
    assert_int_equal(c.create_hits, 997);
    mock_stop();
    assert_int_equal(mock_keys_alive, 0);
    assert_int_equal(mock_contexts_alive, 0);
    assert_int_equal(mock_slot.references, 1);
}

static void slot_references_add_up(void **state) {
    (void)state;
    mock_start();
    for (int i = 0; i < 100; i++) {
        PK11SlotInfo *slot = real.PK11_GetBestSlot(CKM_AES_CBC, NULL);
        if (i % 2 == 0 || !cache_take_slot(slot))
            real.PK11_FreeSlot(slot);
    }
    assert_int_equal(mock_slot.references, 1);
    mock_stop();
}

static void flush_destroys_the_idle(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(9, 16);
    PK11Context *live = mock_create(key, CKA_ENCRYPT, 0);
    cache_destroy(mock_create(key, CKA_DECRYPT, 0));
    cache_flush();
    assert_int_equal(mock_contexts_alive, 2); /* the live one keeps its engine, and what verifies its first message */
    real.PK11_FreeSymKey(key);
    assert_int_equal(mock_keys_alive, 1);
    cache_destroy(live);
    assert_int_equal(mock_contexts_alive, 0);
    assert_int_equal(mock_keys_alive, 0);
    mock_stop();
}

static void two_ticks_without_use(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(10, 16);
    cache_destroy(mock_create(key, CKA_ENCRYPT, 0));
    real.PK11_FreeSymKey(key);
    cache_age();
    assert_true(mock_contexts_alive > 0);
    cache_destroy(mock_create(key, CKA_ENCRYPT, 0)); /* used: stays */
    cache_age();
    assert_true(mock_contexts_alive > 0);
    cache_age();
    assert_int_equal(mock_contexts_alive, 0);
    for (int i = 0; i < 3; i++)
        cache_age();
    assert_int_equal(mock_keys_alive, 0);
    mock_stop();
}

static void forgotten_before_return(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(11, 16);
    cache_destroy(mock_create(key, CKA_ENCRYPT, 0));
    cache_forget(key);
    assert_int_equal(key->references, 1);
    PK11SymKey *again = mock_import(11, 16);
    assert_ptr_not_equal(key, again);
    real.PK11_FreeSymKey(key);
    real.PK11_FreeSymKey(again);
    mock_stop();
    assert_int_equal(mock_keys_alive, 0);
}

static void stale_is_parked(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(12, 16);
    cache_destroy(mock_create(key, CKA_ENCRYPT, 0));
    int alive = mock_contexts_alive;
    mock_slot.series++; /* the token was restarted */
    PK11SymKey *fresh = mock_import(12, 16);
    assert_ptr_not_equal(key, fresh);
    assert_int_equal(mock_contexts_alive, alive); /* never freed while the module runs */
    cache_destroy(mock_create(fresh, CKA_ENCRYPT, 0));
    real.PK11_FreeSymKey(key);
    real.PK11_FreeSymKey(fresh);
    mock_stop();
    assert_int_equal(mock_contexts_alive, 0);
    assert_int_equal(mock_keys_alive, 0);
}

static void many_keys_in_few_lines(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *keys[200];
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 200; i++) {
            keys[i] = mock_import((unsigned char)i, 17);
            assert_int_equal(keys[i]->bytes[16], i);
            cache_destroy(mock_create(keys[i], CKA_ENCRYPT, 1));
            if (!cache_take_key(keys[i]))
                real.PK11_FreeSymKey(keys[i]);
        }
    assert_int_equal(mock_imports, 200);
    mock_stop();
    assert_int_equal(mock_keys_alive, 0);
    assert_int_equal(mock_contexts_alive, 0);
}

static void bound_on_keys(void **state) {
    (void)state;
    mock_start();
    struct root *root = root_get();
    long before = options.max_keys.number;
    options.max_keys.number = root->keys_touched; /* the pool's free list still has some */
    struct key *saved = root->free_keys;
    root->free_keys = NULL;
    PK11SymKey *key = mock_import(77, 16), *second = mock_import(77, 16);
    assert_ptr_not_equal(key, second); /* as bare NSS */
    assert_true(sum().bypass_max_keys >= 2);
    real.PK11_FreeSymKey(key);
    real.PK11_FreeSymKey(second);
    root->free_keys = saved;
    options.max_keys.number = before;
    mock_stop();
    assert_int_equal(mock_keys_alive, 0);
}

/* Many more keys in a process's life than there may be at once: a hold that is lost would fill the pool for ever. */
static void keys_come_and_go(void **state) {
    (void)state;
    mock_start();
    uint64_t before = sum().bypass_max_keys;
    for (unsigned i = 0; i < 3 * 4096; i++) {
        unsigned char bytes[16] = {1};
        memcpy(bytes, &i, sizeof i);
        SECItem item = {siBuffer, bytes, sizeof bytes};
        struct identity identity = {&mock_slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, NULL};
        PK11SymKey *key = cache_import(&identity, &item);
        cache_destroy(mock_create(key, CKA_ENCRYPT, 1));
        if (!cache_take_key(key))
            real.PK11_FreeSymKey(key);
        if (i % 100 == 99)
            cache_flush();
    }
    assert_int_equal(sum().bypass_max_keys, before);
    cache_flush();
    assert_int_equal(root_keys_live(), 0);
    assert_int_equal(mock_keys_alive, 0);
    mock_stop();
}

static void foreign_token_is_not_cached(void **state) {
    (void)state;
    mock_start();
    mock_slot.internal = false;
    PK11SymKey *a = mock_import(5, 16), *b = mock_import(5, 16);
    assert_ptr_not_equal(a, b);
    assert_int_equal(a->references, 1);
    mock_slot.internal = true;
    mock_slot.needs_login = true;
    PK11SymKey *c = mock_import(5, 16);
    assert_int_equal(c->references, 1);
    real.PK11_FreeSymKey(a);
    real.PK11_FreeSymKey(b);
    real.PK11_FreeSymKey(c);
    mock_stop();
}

static void refused_engine_is_nss_answer(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(6, 16);
    mock_create_fails = true;
    real.PR_SetError(-1, 0);
    assert_null(mock_create(key, CKA_ENCRYPT, 0));
    assert_int_equal(real.PR_GetError(), -8000);
    mock_create_fails = false;
    real.PK11_FreeSymKey(key);
    mock_stop();
    assert_int_equal(mock_keys_alive, 0);
}

static void odd_keys_pass(void **state) {
    (void)state;
    mock_start();
    uint64_t before = sum().bypass_key;
    SECItem item = {siBuffer, (unsigned char *)"x", 0};
    struct identity identity = {&mock_slot, CKM_AES_CBC, PK11_OriginUnwrap, CKA_ENCRYPT, NULL};
    real.PK11_FreeSymKey(cache_import(&identity, &item));
    assert_int_equal(sum().bypass_key, before + 1);
    mock_stop();
}

/* A thread leaves its magazine to the next one, engines and counters with it. */
static void *one_use(void *arg) {
    cache_destroy(mock_create(arg, CKA_ENCRYPT, 3));
    return NULL;
}
static void thread_ends(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(20, 16);
    int most = 0;
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, one_use, key);
        pthread_join(thread, NULL);
        most = mock_creates > most ? mock_creates : most;
    }
    assert_true(most <= 8);
    real.PK11_FreeSymKey(key);
    mock_stop();
    assert_int_equal(mock_contexts_alive, 0);
    assert_int_equal(mock_keys_alive, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(once_per_key),
                                       cmocka_unit_test(slot_references_add_up),
                                       cmocka_unit_test(flush_destroys_the_idle),
                                       cmocka_unit_test(two_ticks_without_use),
                                       cmocka_unit_test(forgotten_before_return),
                                       cmocka_unit_test(stale_is_parked),
                                       cmocka_unit_test(many_keys_in_few_lines),
                                       cmocka_unit_test(bound_on_keys),
                                       cmocka_unit_test(keys_come_and_go),
                                       cmocka_unit_test(foreign_token_is_not_cached),
                                       cmocka_unit_test(refused_engine_is_nss_answer),
                                       cmocka_unit_test(odd_keys_pass),
                                       cmocka_unit_test(thread_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
