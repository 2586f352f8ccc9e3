/* The key table: identity is the bytes and all that goes with them; holds and references add up; bounds. */
#include "test/unit/mock_nss.h"

static struct identity identity;
static unsigned char bytes[32];
static SECItem data = {siBuffer, bytes, 16};

static PK11SymKey *plain_key(void) {
    return real.PK11_ImportSymKey(&mock_slot, CKM_AES_CBC, PK11_OriginUnwrap, CKA_ENCRYPT, &data, NULL);
}

static struct key *add(PK11SymKey *sym, uint64_t hash) {
    struct key fresh = {.id = sym, .sym = sym, .hash = hash, .identity = identity, .data = &sym->data}, *key = NULL;
    enum key_added result = key_add(root_get(), &fresh, 0, &key);
    return result == KEY_ADDED ? key : NULL;
}

static void found_only_as_itself(void **state) {
    (void)state;
    mock_start();
    struct root *root = root_get();
    identity = (struct identity){&mock_slot, CKM_AES_CBC, PK11_OriginUnwrap, CKA_ENCRYPT, NULL};
    memset(bytes, 7, sizeof bytes);
    PK11SymKey *sym = plain_key();
    uint64_t hash = key_hash(&identity, &data);
    struct key *key = add(sym, hash);
    assert_non_null(key);
    assert_int_equal(sym->references, 2);

    assert_ptr_equal(key_find_value(root, hash, &identity, &data, 1), key);
    assert_int_equal(sym->references, 3);
    sym->references--;
    key_release(root, key);

    struct identity other = identity;
    other.operation = CKA_DECRYPT;
    assert_null(key_find_value(root, hash, &other, &data, 1)); /* even if the hash were the same */
    assert_int_not_equal(key_hash(&other, &data), hash);
    other = identity;
    other.wincx = &other;
    assert_null(key_find_value(root, hash, &other, &data, 1));
    other = identity;
    other.origin = PK11_OriginDerive;
    assert_null(key_find_value(root, hash, &other, &data, 1));
    other = identity;
    other.mechanism = CKM_AES_ECB;
    assert_null(key_find_value(root, hash, &other, &data, 1));
    bytes[15] ^= 1;
    assert_null(key_find_value(root, hash, &identity, &data, 1));
    bytes[15] ^= 1;
    data.len = 24;
    assert_null(key_find_value(root, hash, &identity, &data, 1));
    data.len = 16;

    assert_true(key_remove(root, key));
    assert_false(key_remove(root, key)); /* only one caller gets the table's reference */
    assert_null(key_find_value(root, hash, &identity, &data, 1));
    assert_null(key_find_id(root, sym, 1));
    real.PK11_FreeSymKey(sym);
    key_release(root, key);
    real.PK11_FreeSymKey(sym);
    assert_int_equal(mock_keys_alive, 0);
}

static void colliding_hash_is_refused(void **state) {
    (void)state;
    mock_start();
    struct root *root = root_get();
    PK11SymKey *a = plain_key(), *b = plain_key();
    struct key *key = add(a, 42);
    assert_non_null(key);
    assert_null(add(b, 42));
    assert_int_equal(b->references, 1);
    key_remove(root, key);
    real.PK11_FreeSymKey(a);
    key_release(root, key);
    real.PK11_FreeSymKey(a);
    real.PK11_FreeSymKey(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_only_as_itself),
                                       cmocka_unit_test(colliding_hash_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
