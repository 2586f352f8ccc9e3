/* copy.h - copying of short runs without a call: the hit path moves 16 to 128 bytes, where memcpy's call costs more
 * than its work. */
#ifndef PK11CACHE_COPY_H
#define PK11CACHE_COPY_H

#include <stddef.h>
#include <string.h>

/* As memcpy, for disjoint memory. From 16 bytes on it moves whole vectors, the last one overlapping the one before. */
static inline void copy_short(unsigned char *to, const unsigned char *from, size_t n) {
    if (n > 128) {
        memcpy(to, from, n);
    } else if (n >= 16) {
        size_t last = n - 16;
        for (size_t i = 0; i < last; i += 16)
            memcpy(to + i, from + i, 16);
        memcpy(to + last, from + last, 16);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else if (n) {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }
}

#endif
