#include "random_source.h"

#include <math.h>
#include <sys/random.h>
#include <time.h>

uint64_t random_seed(void) {
    uint64_t seed;
    struct timespec now;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
        return seed;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* SplitMix64: a counter with an odd step, and a mixer of two multiplications. */
uint64_t random_bits(struct random_source *source) {
    uint64_t z = source->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* The high half of the product; its bias is bound / 2^64. */
uint64_t random_below(struct random_source *source, uint64_t bound) {
    return (uint64_t)((unsigned __int128)random_bits(source) * bound >> 64);
}

double random_unit(struct random_source *source) {
    return ((double)(random_bits(source) >> 11) + 0.5) * 0x1p-53;
}

double random_normal(struct random_source *source) {
    double radius = sqrt(-2 * log(random_unit(source)));
    return radius * cos(2 * M_PI * random_unit(source));
}

double random_poisson(struct random_source *source, double mean) {
    if (mean < 30) { /* how many even numbers can be multiplied before the product falls under e^-mean */
        double floor_at = exp(-mean), product = random_unit(source);
        double count = 0;
        for (; product > floor_at; count++)
            product *= random_unit(source);
        return count;
    }
    double z = random_normal(source);
    return fmax(0, floor(mean + sqrt(mean) * z + (z * z - 1) / 6 + 0.5));
}
