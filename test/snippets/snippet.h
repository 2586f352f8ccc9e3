/* snippet.h - what a snippet has at hand. A snippet is a file NAME.c with `int snippet(void)`: one behaviour, printed
 * as the program sees it; its value is 0 unless the snippet itself went wrong. It is run in every setting
 * (run-snippet.sh), and everywhere it must print what it prints with bare NSS. docs/snippets.md tells how to add one.
 */
#ifndef SNIPPET_H
#define SNIPPET_H

#include "../lifecycle/scenario.h" /* init, import, create, message, hammer, print_shutdown */

#include <stdint.h>

/* Built as snippet_NAME; the host finds it by this name. */
int snippet(void);

/* "what: STATUS, error N", then the first bytes of the result if there are any. The error is set to 0 before each call
 * that is passed through CALL, so that it says what this call left. */
#define CALL(what, call) called(what, (PR_SetError(0, 0), (call)))
SECStatus called(const char *what, SECStatus status);
void bytes(const char *what, const unsigned char *data, int length);

/* A key of `length` equal bytes for that mechanism and operation. The caller's. */
PK11SymKey *key_for(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, unsigned char seed, unsigned length);

/* The same message by a context of that key: are its 32 bytes those of `wanted`? Prints nothing. Any thread. */
bool encrypts(PK11SymKey *key, const unsigned char wanted[32]);
/* What `encrypts` is to find, computed by a first context. */
void first_answer(PK11SymKey *key, unsigned char wanted[32]);

/* Is it one of the cache's handles? Abuse that would crash bare NSS is only done to these; what is printed is about the
 * others, who must not notice. */
static inline bool is_handle(const PK11Context *context) {
    return (intptr_t)context < 0; /* no address of a program: x86-64, arm64 */
}

#endif
