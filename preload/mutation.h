/* mutation.h - faults on purpose, compiled in by -DPK11CACHE_MUTATION=N: the differential test must find each. */
#ifndef PK11CACHE_MUTATION_H
#define PK11CACHE_MUTATION_H

#ifndef PK11CACHE_MUTATION
#define PK11CACHE_MUTATION 0
#endif

/* With this it is verify mode that must find it. */
#ifndef PK11CACHE_MUTATION_VERIFIED
#define PK11CACHE_MUTATION_VERIFIED 0
#endif

enum {
    MUTATION_PAD_BYTE = 1,
    MUTATION_NO_FOLD,
    MUTATION_PADDING_ERROR,
    MUTATION_FINAL_LENGTH,
    MUTATION_EARLY_BLOCK,
    MUTATION_CHAIN,
    MUTATION_BEGIN_IV,
    MUTATION_SLOT_ERROR,
    MUTATION_OVERRUN,
    MUTATION_NO_RESET,
    MUTATION_LEAKY_PADDING, /* for the timing test: it is right, but not in constant time */
};

#define MUTATED(which) (PK11CACHE_MUTATION == (which))

#endif
