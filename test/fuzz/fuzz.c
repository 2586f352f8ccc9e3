/* The differential test as a fuzz target: the input decides the calls, which go to bare NSS and through the hooks. The
 * library's state lives on from input to input, as it does in a daemon; a difference ends the run with a report. */
#include "test/differential/pair.h"
#include "test/differential/sequence.h"
#include "test/differential/sides.h"

#include <nss.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    if (NSS_NoDB_Init(NULL) != SECSuccess || !sides_init()) {
        fprintf(stderr, "NSS can't be initialised\n");
        exit(3);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sequence sequence;
    sequence_make_from(&sequence, data, size);
    sequence_run(&sequence);
    if (pair_different) {
        pair_report();
        fflush(stdout);
        abort();
    }
    return 0;
}
