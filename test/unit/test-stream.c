/* The stream principle over a mock cipher: any IV, any split, one engine, as a cipher that is set up for each message.
 */
#include "test/unit/mock_nss.h"
#include "preload/stream.h"

enum { MESSAGES = 3000, LONGEST = 3000 };
static unsigned char in[LONGEST], got[LONGEST + 32], want[LONGEST + 32];

/* The mock cipher, set up anew: CBC with "+ key byte", PKCS#7. */
static unsigned reference(unsigned char key, unsigned char iv, unsigned n) {
    unsigned total = (n / 16 + 1) * 16;
    memcpy(want, in, n);
    memset(want + n, (int)(total - n), total - n);
    for (unsigned i = 0; i < total; i++)
        want[i] = (unsigned char)((want[i] ^ (i < 16 ? iv : want[i - 16])) + key);
    return total;
}

static struct record *record_of(PK11Context *handle) {
    bool owner;
    struct record *record = record_enter(handle, &owner);
    assert_non_null(record);
    record_leave(record, owner);
    return record;
}

static PK11Context *create_padded(PK11SymKey *key, CK_ATTRIBUTE_TYPE operation, unsigned char iv_byte) {
    unsigned char iv[17];
    memset(iv, iv_byte, sizeof iv);
    SECItem param = {siBuffer, iv, sizeof iv};
    struct request request = {.mechanism = CKM_AES_CBC_PAD, .operation = operation, .sym = key, .param = &param};
    return cache_create(&request);
}

static unsigned run_split(PK11Context *handle, const unsigned char *from, unsigned n, unsigned seed) {
    struct record *record = record_of(handle);
    unsigned used = 0, at = 0, last = 0;
    while (at < n) {
        unsigned step = seed % 5 == 0 ? n : (seed * 2654435761u >> 16) % 700 + 1;
        if (record->decrypt)
            step = (step + 15) & ~15u;
        step = step < n - at ? step : n - at;
        int length = -1;
        assert_int_equal(stream_cipher_op(record, got + used, &length, (int)(sizeof got - used), from + at, (int)step),
                         STREAM_DONE);
        used += (unsigned)length;
        at += step;
        seed = seed * 1103515245u + 12345u;
    }
    assert_int_equal(stream_final(record, got + used, &last, 16), STREAM_DONE);
    return used + last;
}

static void any_split_any_iv(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(0x31, 16);
    for (unsigned i = 0; i < MESSAGES; i++) {
        unsigned n = i % 7 == 0 ? i % LONGEST : i % 100;
        for (unsigned j = 0; j < n; j++)
            in[j] = (unsigned char)(i * 31 + j * j);
        unsigned total = reference(0x31, (unsigned char)i, n);
        PK11Context *handle = create_padded(key, CKA_ENCRYPT, (unsigned char)i);
        assert_int_equal(run_split(handle, in, n, i), total);
        assert_memory_equal(got, want, total);
        cache_destroy(handle);
        handle = create_padded(key, CKA_DECRYPT, (unsigned char)i);
        assert_int_equal(run_split(handle, want, total, i + 1), n);
        assert_memory_equal(got, in, n);
        cache_destroy(handle);
    }
    assert_true(mock_creates < 20);
    real.PK11_FreeSymKey(key);
    mock_stop();
}

static void unsure_changes_nothing(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(0x32, 16);
    PK11Context *handle = create_padded(key, CKA_ENCRYPT, 1);
    struct record *record = record_of(handle), before;
    int length = 77;
    memcpy(&before, record, sizeof before);
    assert_int_equal(stream_cipher_op(record, got, &length, 15, in, 16), STREAM_UNSURE);  /* no room */
    assert_int_equal(stream_cipher_op(record, NULL, &length, 64, in, 16), STREAM_UNSURE); /* a size query */
    assert_int_equal(stream_cipher_op(record, got, &length, -1, in, 16), STREAM_UNSURE);
    assert_int_equal(stream_cipher_op(record, got, &length, 64, in, -1), STREAM_UNSURE);
    assert_int_equal(stream_cipher_op(record, got, &length, 64, NULL, 16), STREAM_UNSURE);
    assert_int_equal(stream_cipher_op(record, in + 8, &length, 64, in, 32), STREAM_UNSURE); /* overlapping */
    unsigned last = 78;
    assert_int_equal(stream_final(record, got, &last, 15), STREAM_UNSURE);
    assert_int_equal(stream_final(record, NULL, &last, 16), STREAM_UNSURE);
    assert_memory_equal(&before, record, sizeof before);
    assert_int_equal(length, 77);
    assert_int_equal(last, 78);
    cache_destroy(handle);
    real.PK11_FreeSymKey(key);
    mock_stop();
}

static void destroyed_handle_holds_no_text(void **state) {
    (void)state;
    mock_start();
    PK11SymKey *key = mock_import(0x33, 16);
    for (int decrypt = 0; decrypt < 2; decrypt++) {
        PK11Context *handle = create_padded(key, decrypt ? CKA_DECRYPT : CKA_ENCRYPT, 1);
        struct record *record = record_of(handle);
        int length;
        static const unsigned char zeros[16];
        memset(in, 0xee, 48);
        assert_int_equal(stream_cipher_op(record, got, &length, 100, in, decrypt ? 32 : 29), STREAM_DONE);
        assert_memory_not_equal(record->buffer, zeros, 13);
        cache_destroy(handle);
        assert_memory_equal(record->buffer, zeros, 16);
        assert_memory_equal(record->final, zeros, 16);
        assert_memory_equal(record->param, zeros, 16);
    }
    real.PK11_FreeSymKey(key);
    mock_stop();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_split_any_iv), cmocka_unit_test(unsure_changes_nothing),
                                       cmocka_unit_test(destroyed_handle_holds_no_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
