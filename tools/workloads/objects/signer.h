/* signer.h - the signatures of one connection, made by a Ceph era's NSS calls.
 *
 * As in Ceph a signature is checked by making it again, so both sides only encrypt. One signer serves any number of
 * threads at once (a connection's reader and writer share it), but for openssl's, which is one thread's. NSS is
 * initialised by signing_start. */
#ifndef OBJECTS_SIGNER_H
#define OBJECTS_SIGNER_H

#include "wire.h"

enum { SIGNER_KEY = 16 };

struct sequence;
extern const struct sequence sequence_openssl;

struct signing {
    const struct sequence *sequence; /* NULL: nothing is signed */
    unsigned char secret[SIGNER_KEY];
};

struct signer {
    const struct sequence *sequence;
    unsigned char key[SIGNER_KEY];
    void *state;
};

/* "none", "hammer", "infernalis" or "openssl" into signing->sequence; 32 hexadecimal digits into its secret. False when
 * the text is neither. signing_default sets the secret that both programs have where none is given. */
bool signing_named(struct signing *signing, const char *name);
bool signing_secret(struct signing *signing, const char *hex);
void signing_default(struct signing *signing);
const char *signing_name(const struct signing *signing);

/* Start and end NSS as the daemons do (nothing where nothing is signed). False after a message on stderr. */
bool signing_start(const struct signing *signing);
bool signing_stop(const struct signing *signing);

/* The signer of a connection: its session key is the nonce, encrypted under the secret. False after a message. */
bool signer_open(struct signer *signer, const struct signing *signing, const unsigned char nonce[NONCE_BYTES]);
void signer_close(struct signer *signer);

/* Sign a sealed frame. False after a message, when NSS fails. */
bool signer_sign(const struct signer *signer, struct frame *frame);

/* Is the signature the one that this signer makes? Silent. */
bool signer_check(const struct signer *signer, const struct frame *frame);

#endif
