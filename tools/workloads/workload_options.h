/* workload_options.h - the arguments of a workload or yardstick. */
#ifndef WORKLOAD_OPTIONS_H
#define WORKLOAD_OPTIONS_H

#include <stdbool.h>

enum { KEYS_MAX = 4096, THREADS_MAX = 256, BYTES_MAX = 64 << 20 };

struct workload_options {
    bool decrypt, check, json;
    long bytes, threads, keys;
    long ops;       /* per thread; 0: by time */
    double seconds; /* where ops is 0 */
};

extern struct workload_options option;

/* Parse into `option`; ends the program with 2 at a bad argument. Without padding, bytes is a multiple of 16. */
void workload_options_parse(int argc, char **argv, bool padded);

#endif
