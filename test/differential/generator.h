/* generator.h - seeded sequences of calls. */
#ifndef DIFFERENTIAL_GENERATOR_H
#define DIFFERENTIAL_GENERATOR_H

#include <stdio.h>

/* Run the sequence of this seed on both sides. */
void generator_sequence(unsigned long seed);
/* What was run so far: a line per mechanism, key size and operation. */
void generator_table(FILE *to);
/* AES-CBC contexts that were handles of the cache. */
unsigned long long generator_handles(void);

#endif
