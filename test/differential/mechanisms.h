/* mechanisms.h - what the sequences are made of, with names for the output. */
#ifndef DIFFERENTIAL_MECHANISMS_H
#define DIFFERENTIAL_MECHANISMS_H

#include <pk11pub.h>
#include <stdbool.h>

struct mechanism {
    const char *name;
    CK_MECHANISM_TYPE type;
    unsigned key_bytes, iv_bytes, block;
    bool padded, signs;
    SECOidTag digest; /* a digest has no key: PK11_CreateDigestContext */
    unsigned weight;
};

extern const struct mechanism mechanisms[];
extern const unsigned mechanisms_count;

/* Do they take each other's keys, so that softoken looks at the key's type before it uses the bytes? */
bool mechanisms_mix(const struct mechanism *a, const struct mechanism *b);

const char *mechanism_name(CK_MECHANISM_TYPE type);
const char *operation_name(CK_ATTRIBUTE_TYPE operation);

#endif
