/* PKCS#7: every last byte, every length, every position of a wrong byte. */
#include "test/unit/mock_nss.h"
#include "preload/stream.h"

static unsigned by_the_book(const unsigned char *block) {
    unsigned pad = block[15];
    if (pad < 1 || pad > 16)
        return 0;
    for (unsigned i = 16 - pad; i < 16; i++)
        if (block[i] != pad)
            return 0;
    return pad;
}

static void all_pads(void **state) {
    (void)state;
    unsigned char block[16];
    for (unsigned pad = 0; pad < 256; pad++)
        for (unsigned run = 0; run <= 16; run++)
            for (unsigned wrong = 0; wrong <= 16; wrong++) {
                memset(block, 0xa5, 16);
                memset(block + 16 - run, (int)pad, run);
                if (wrong < 16)
                    block[wrong] ^= 0x40;
                assert_int_equal(stream_padding(block), by_the_book(block));
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
