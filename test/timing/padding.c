/* padding [--expect-leak]: does the time of unpadding tell anything of the padding? Dudect's method: two classes of
 * blocks in random order, times cropped above a percentile that is taken beforehand, Welch's t. |t| of a leak grows
 * with the number of measurements, that of noise does not.
 *
 * Classes: good paddings against bad ones; and of the bad ones, wrong in the last byte against wrong in the first. */
#include "preload/stream.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH = 32, WARM = 20000, MEASURED = 400000 };

struct welch {
    double n[2], mean[2], squares[2];
};

static unsigned long long state = 88172645463325252ull;
static unsigned draw(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 16) % below;
}

static void push(struct welch *w, int class, double x) {
    double delta = x - w->mean[class];
    w->n[class]++;
    w->mean[class] += delta / w->n[class];
    w->squares[class] += delta * (x - w->mean[class]);
}

static double t_of(const struct welch *w) {
    double a = w->squares[0] / (w->n[0] - 1) / w->n[0], b = w->squares[1] / (w->n[1] - 1) / w->n[1];
    return (w->mean[0] - w->mean[1]) / sqrt(a + b);
}

/* kind 0: a good padding; 1: bad, its last byte is 0; 2: bad, only the first of the padding's bytes is wrong. */
static void block_of(unsigned char *block, int kind) {
    unsigned pad = 2 + draw(15);
    for (unsigned i = 0; i < BLOCK; i++)
        block[i] = (unsigned char)draw(256);
    memset(block + BLOCK - pad, (int)pad, pad);
    if (kind == 1)
        block[BLOCK - 1] = 0;
    if (kind == 2)
        block[BLOCK - pad] ^= 0x55;
}

static double now(void) {
#if defined(__x86_64__)
    unsigned low, high;
    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return (double)((unsigned long long)high << 32 | low);
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
#endif
}

/* One batch of blocks that are all of one class. */
static double measure(int kind) {
    static unsigned char blocks[BATCH][BLOCK];
    static volatile unsigned sink;
    for (int i = 0; i < BATCH; i++)
        block_of(blocks[i], kind);
    double start = now();
    for (int i = 0; i < BATCH; i++)
        sink += stream_padding(blocks[i]);
    return now() - start;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double compare(int kind_a, int kind_b) {
    static double warm[WARM];
    struct welch w = {0};
    for (int i = 0; i < WARM; i++)
        warm[i] = measure(draw(2) ? kind_a : kind_b);
    qsort(warm, WARM, sizeof *warm, ascending);
    double most = warm[WARM * 9 / 10];
    for (int i = 0; i < MEASURED; i++) {
        int class = (int)draw(2);
        double time = measure(class ? kind_b : kind_a);
        if (time <= most)
            push(&w, class, time);
    }
    return t_of(&w);
}

/* The smallest |t| of three: noise that comes in one is not there in all. */
static double best_of_three(int kind_a, int kind_b) {
    double least = INFINITY;
    for (int i = 0; i < 3 && least > 4.5; i++)
        least = fmin(least, fabs(compare(kind_a, kind_b)));
    return least;
}

int main(int argc, char **argv) {
    bool expect_leak = argc > 1 && strcmp(argv[1], "--expect-leak") == 0;
    double good_bad = best_of_three(0, 1), bad_bad = best_of_three(1, 2);
    printf("|t|: good against bad %.1f, bad early against bad late %.1f\n", good_bad, bad_bad);
    if (expect_leak)
        return good_bad > 50 && bad_bad > 50 ? 0 : 1;
    return good_bad < 10 && bad_bad < 10 ? 0 : 1;
}
