/* bench.h - the cells of `pk11cache bench`: what was run, and what it took. */
#ifndef PK11CACHE_BENCH_H
#define PK11CACHE_BENCH_H

#include <stdbool.h>
#include <stdio.h>

enum arm { BARE, PRELOAD, PRELOAD_RESET, SOURCE_REUSE, OPENSSL_EVP, OPENSSL_AES, CRYPTOPP, ARMS };
extern const char *const arm_names[ARMS];

enum { ROUNDS_MAX = 101 };

struct sample {
    double ns, cpu_ns;
};

/* One measurement that is repeated in every round: a sequence's arm, or a yardstick. */
struct run {
    bool wanted;
    int rounds;
    struct sample samples[ROUNDS_MAX];
    double ns, cpu_ns; /* medians */
};

struct cell {
    const char *sequence;
    bool decrypt, yardsticks; /* yardsticks: they do the same crypto as this sequence */
    int bytes, threads;
    struct run arms[PRELOAD_RESET + 1];
    const struct run *beside[ARMS]; /* all arms, the yardsticks too */
};

/* The table for a person, and the JSON for a program; false when it can't be written. */
void bench_table(FILE *to, const struct cell *cells, int count, const char *nss_version);
bool bench_json(const char *file, const struct cell *cells, int count);

#endif
