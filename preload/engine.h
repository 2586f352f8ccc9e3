/* engine.h - real contexts that are kept alive: making them, resetting them, and a real context that takes over.
 *
 * These functions call NSS under the guard and leave PR_GetError as bare NSS would have left it. */
#ifndef PK11CACHE_ENGINE_H
#define PK11CACHE_ENGINE_H

#include "preload/key.h"
#include "preload/record.h"

/* What a create asks for. */
struct request {
    CK_MECHANISM_TYPE mechanism;
    CK_ATTRIBUTE_TYPE operation;
    PK11SymKey *sym;
    SECOidTag digest; /* for a digest context: sym is NULL */
    const SECItem *param;
    enum engine_kind kind;
    bool padded, decrypt;
};

/* Which engine serves it? False: none, `*why_parameter` tells whether it is for the parameter. */
bool engine_for(struct request *request, bool *why_parameter);

/* Multi-part mechanisms that DigestFinal + DigestBegin resets: HMACs, and the block and stream ciphers. */
bool engine_can_reset(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation);

/* Has NSS accepted a CBC parameter of this length, for this mechanism and operation, since it was initialised? */
bool engine_accepted(const struct request *request);
void engine_note_accepted(const struct request *request);

/* A new engine for `key` in a record of its own. NULL: *bound tells whether max_engines is why. */
struct record *engine_make(struct root *root, struct key *key, const struct request *request, bool *bound);
/* Destroy the engine and free its record. */
void engine_destroy(struct root *root, struct record *record);

/* Begin the message of `request` on an idle engine. */
void engine_begin(struct record *record, const struct request *request);
/* Reset a pooled context after its use. False: it must be destroyed. */
bool engine_reset(struct record *record);
/* Does an idle reset engine serve this request? */
bool engine_fits(const struct record *record, const void *request);

/* A real context in the same state takes over the handle. False: NSS would not make it; its error is set. */
bool engine_materialise(struct record *record);

/* The error of a bad padding, learnt once from NSS on `sym` (an AES key that decrypts). */
void engine_learn_bad_padding(PK11SymKey *sym);
PRErrorCode engine_bad_padding_error(void);

#endif
