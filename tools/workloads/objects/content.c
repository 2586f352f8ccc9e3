#include "content.h"

#include <string.h>

static const uint64_t odd = 0x9e3779b97f4a7c15;

static uint64_t seed_of(uint64_t object, uint64_t version) {
    return (object ^ version * 0xd1342543de82ef95) * odd;
}

/* The word at a place after the first two. */
static uint64_t word(uint64_t seed, uint32_t place) {
    uint64_t x = (seed + place) * odd;
    return x ^ x >> 29;
}

void content_make(unsigned char *data, uint32_t length, uint64_t object, uint64_t version) {
    uint64_t seed = seed_of(object, version);
    memcpy(data, &object, 8);
    memcpy(data + 8, &version, 8);
    for (uint32_t at = CONTENT_MIN; at < length; at += 8) {
        uint64_t value = word(seed, at);
        memcpy(data + at, &value, length - at < 8 ? length - at : 8);
    }
}

bool content_check(const unsigned char *data, uint32_t length, uint64_t object, uint64_t oldest, uint64_t newest) {
    uint64_t number, version;
    memcpy(&number, data, 8);
    memcpy(&version, data + 8, 8);
    if (number != object || version < oldest || version > newest)
        return false;
    uint64_t seed = seed_of(object, version);
    for (uint32_t at = CONTENT_MIN; at < length; at += 8) {
        uint64_t value = word(seed, at);
        if (memcmp(data + at, &value, length - at < 8 ? length - at : 8) != 0)
            return false;
    }
    return true;
}
