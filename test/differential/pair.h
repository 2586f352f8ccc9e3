/* pair.h - one call made on both sides, with everything that it does compared: the return value, PR_GetError,
 * lengths (also after a failure) and every byte of the output buffer, beyond the reported length too. */
#ifndef DIFFERENTIAL_PAIR_H
#define DIFFERENTIAL_PAIR_H

#include "sides.h"

enum { ROOM = (1 << 20) + 256 };

struct keys {
    PK11SymKey *hooked, *bare;
};

struct pair {
    PK11Context *hooked, *bare;
    int number; /* its name in the output */
};

/* Calls so far, and whether the sequence differs. After its first difference no call of it is noted. */
extern unsigned long long pair_calls;
extern bool pair_different;

/* Start a sequence: forget the log. Each call is noted in it. */
void pair_sequence(unsigned long seed, const char *what);
/* Print the first difference of the sequence that has run, with its calls. */
void pair_report(void);

struct keys pair_import(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, const unsigned char *bytes,
                        unsigned n);
void pair_free_keys(struct keys keys);
void pair_key_data(struct keys keys);
void pair_best_slot(CK_MECHANISM_TYPE mechanism);

struct pair pair_create(CK_MECHANISM_TYPE mechanism, CK_ATTRIBUTE_TYPE operation, struct keys keys,
                        const SECItem *param);
struct pair pair_digest(SECOidTag digest);
struct pair pair_clone(struct pair pair);
void pair_destroy(struct pair pair);

void pair_begin(struct pair pair);
void pair_digest_op(struct pair pair, const unsigned char *in, unsigned n);
void pair_digest_key(struct pair pair, struct keys keys);
void pair_finalize(struct pair pair);
void pair_fips(struct pair pair);

/* What PK11_SaveContextAlloc gave on each side. */
struct saved {
    unsigned char *hooked, *bare;
    unsigned length_hooked, length_bare;
};
struct saved pair_save(struct pair from);
void pair_restore(struct pair to, struct saved saved);
void pair_free_saved(struct saved saved);
void pair_save_restore(struct pair from, struct pair to);

/* A call with a handle that was destroyed must fail and touch nothing; only the hooked side can do that.
 * `which` chooses the call. */
void pair_stale(PK11Context *handle, unsigned which);
/* in_place: the input lies in the output buffer. out_null: a size query. */
SECStatus pair_cipher_op(struct pair pair, const unsigned char *in, int n, int room, bool in_place, bool out_null,
                         unsigned char **out, int *length);
SECStatus pair_final(struct pair pair, unsigned room, bool out_null, unsigned char **out, unsigned *length);

#endif
