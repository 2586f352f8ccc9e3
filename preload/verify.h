/* verify.h - operations that are computed both ways: by the engine, and by a real context made as bare NSS would.
 *
 * The first message of each new engine (or one of the first few: there must be output to compare), and one in
 * PK11CACHE_VERIFY after it. Where the two differ the cache is turned off, it is said once (mechanism and length, no
 * data) and counted, and the caller gets NSS's answer. An operation that leaves the engine's fast path anyway (it
 * materialises, or its state is asked for) is no longer compared: NSS answers it. In the time that it takes a verified
 * operation is bare NSS's, bad paddings too. */
#ifndef PK11CACHE_VERIFY_H
#define PK11CACHE_VERIFY_H

#include "preload/engine.h"
#include "preload/options.h"

/* Is the message of this engine to be verified? The caller is about to hand it out. */
bool verify_due_slow(const struct record *record);
static inline bool verify_due(const struct record *record) {
    return unlikely(record->unproven || option(&options.verify)) && verify_due_slow(record);
}

/* Give the record a real context of this request beside its engine; outside of any lock. It goes with
 * verify_end, or with the handle. */
void verify_begin(struct record *record, const struct request *request);
void verify_end(struct record *record);

/* Inside the record's lock: before the engine's own call (which may overwrite the input), and after it. */
struct verify_call {
    bool active;
    SECStatus status;
    PRErrorCode error;
    PRInt32 os_error;
    unsigned char *out; /* of `room` bytes */
    size_t room;
    unsigned length;
};
struct verify_call verify_cipher_op(struct record *record, const unsigned char *out, int maxout,
                                    const unsigned char *in, int inlen);
struct verify_call verify_digest_op(struct record *record, const unsigned char *in, unsigned inlen);
struct verify_call verify_final(struct record *record, const unsigned char *out, unsigned maxout);
/* Compare with what the engine gave, correct it where it differs, and return what the caller gets. `length` may be NULL
 * (an operation without output). */
SECStatus verify_compare(struct record *record, struct verify_call *call, SECStatus status, unsigned char *out,
                         unsigned *length);

#endif
