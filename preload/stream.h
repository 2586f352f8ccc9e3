/* stream.h - the stream engine: AES-CBC messages of any IV through one context that is never finalised.
 *
 * The engine's chaining value is the last cipher block L that it saw. XOR-ing the first block with V ^ L (before
 * encrypting, after decrypting) gives the message whose IV is V. Padding (PKCS#7) is ours. Errors are never imitated: a
 * call that is not certain to succeed is refused here (STREAM_UNSURE), and the caller lets a real context answer. The
 * one exception is bad padding, which is decided in constant time. Every function runs inside the record's lock. */
#ifndef PK11CACHE_STREAM_H
#define PK11CACHE_STREAM_H

#include "preload/record.h"

enum stream_result {
    STREAM_DONE,
    STREAM_FAILED, /* NSS refused what it never refuses; its error is set as bare NSS would have set it */
    STREAM_UNSURE, /* nothing was done */
    STREAM_BAD_PADDING,
};

/* Begin a message with this IV. It is not read back from the record, where it was just written in other portions: the
 * load would wait for the stores. */
void stream_begin(struct record *record, const unsigned char *iv);
/* As PK11_CipherOp, PK11_DigestFinal and PK11_DigestBegin. */
enum stream_result stream_cipher_op(struct record *record, unsigned char *out, int *outlen, int maxout,
                                    const unsigned char *in, int inlen);
enum stream_result stream_final(struct record *record, unsigned char *out, unsigned *outlen, unsigned maxout);
enum stream_result stream_restart(struct record *record);

/* Length of the PKCS#7 padding that ends `block`, 0 when there is none. In constant time. */
unsigned stream_padding(const unsigned char block[BLOCK]);

#endif
