/* Eight bytes at a time by eight tables ("slicing by 8"): the same cost in every arm, and small beside one signature.
 */
#include "crc.h"

#include <pthread.h>
#include <string.h>

enum { POLYNOMIAL_REVERSED = (int)0x82f63b78 };

static uint32_t tables[8][256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_tables(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? (uint32_t)POLYNOMIAL_REVERSED : 0);
        tables[0][i] = crc;
    }
    for (int t = 1; t < 8; t++)
        for (uint32_t i = 0; i < 256; i++)
            tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
}

static uint32_t eight_bytes(uint32_t crc, const unsigned char *p) {
    uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    return tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^
           tables[3][p[4]] ^ tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
}

uint32_t crc32c(const void *data, size_t length) {
    const unsigned char *p = data;
    uint32_t crc = ~0u;
    pthread_once(&once, make_tables);
    for (; length >= 8; length -= 8, p += 8)
        crc = eight_bytes(crc, p);
    for (; length; length--, p++)
        crc = crc >> 8 ^ tables[0][(crc ^ *p) & 255];
    return ~crc;
}
