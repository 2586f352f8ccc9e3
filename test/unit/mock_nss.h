/* mock_nss.h - stand-ins for the real NSS functions, so that the cache can be tested without NSS.
 *
 * A mock key or slot is a struct with a plain reference count; a mock context "encrypts" by XOR with its key byte and
 * chains as CBC does, which is all that the stream principle needs. mock_start() brings the cache up over them. */
#ifndef PK11CACHE_TEST_MOCK_NSS_H
#define PK11CACHE_TEST_MOCK_NSS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "preload/cache.h"
#include "preload/options.h"

struct PK11SlotInfoStr {
    int references, series;
    bool internal, needs_login;
};

struct PK11SymKeyStr {
    int references;
    PK11SlotInfo *slot;
    SECItem data;
    unsigned char bytes[256];
};

struct PK11ContextStr {
    PK11SymKey *key;
    CK_MECHANISM_TYPE mechanism;
    CK_ATTRIBUTE_TYPE operation;
    unsigned char chain[16];
};

extern PK11SlotInfo mock_slot;
extern int mock_imports, mock_creates, mock_destroys, mock_keys_alive, mock_contexts_alive;
extern bool mock_create_fails;

/* Fresh mocks and the cache up. To be called first in each test; mock_stop gives all back as an NSS shutdown does. */
void mock_start(void);
void mock_stop(void);

/* One message through the cache, as the infernalis daemon does it; returns the handle that was used. */
PK11Context *mock_create(PK11SymKey *key, CK_ATTRIBUTE_TYPE operation, unsigned char iv_byte);
PK11SymKey *mock_import(unsigned char byte, unsigned length);

#endif
