/* secret.h - hashing, comparing and wiping of secret bytes. */
#ifndef PK11CACHE_SECRET_H
#define PK11CACHE_SECRET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Seeds of the keyed hash, drawn once per process. */
extern uint64_t secret_seed[4];
void secret_init(void);

static inline uint64_t secret_mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t secret_load(const unsigned char *p, size_t n) {
    uint64_t word = 0;
    memcpy(&word, p, n);
    return word;
}

/* A keyed 64-bit hash (folded multiplication under secret seeds): nobody who doesn't know the seeds can choose keys
 * that collide. It finds a candidate; secret_equal decides. */
static inline uint64_t secret_hash(uint64_t start, const unsigned char *p, size_t n) {
    uint64_t h = start ^ secret_seed[0] ^ n;
    for (; n >= 16; p += 16, n -= 16)
        h = secret_mix(secret_load(p, 8) ^ secret_seed[1], secret_load(p + 8, 8) ^ h ^ secret_seed[2]);
    if (n) {
        uint64_t low = secret_load(p, n < 8 ? n : 8), high = n > 8 ? secret_load(p + 8, n - 8) : 0;
        h = secret_mix(low ^ secret_seed[1], high ^ h ^ secret_seed[2]);
    }
    return secret_mix(h ^ secret_seed[3], secret_seed[1] | 1);
}

/* Equal bytes? In a time that depends on n alone. */
static inline bool secret_equal(const unsigned char *a, const unsigned char *b, size_t n) {
    uint64_t difference = 0;
    for (; n >= 8; a += 8, b += 8, n -= 8)
        difference |= secret_load(a, 8) ^ secret_load(b, 8);
    if (n)
        difference |= secret_load(a, n) ^ secret_load(b, n);
    __asm__("" : "+r"(difference));
    return difference == 0;
}

/* Zero bytes that the compiler may not leave out. */
static inline void secret_wipe(void *p, size_t n) {
    memset(p, 0, n);
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif
