/* real.h - the real NSS functions behind the hooks.
 *
 * Owns one table of pointers, filled once by real_resolve(). Any thread may call it, at any time, also from a
 * constructor that runs before ours. A function that this NSS does not have stays NULL: only a program that
 * knows it can call its hook, and such a program links an NSS that has it. */
#ifndef PK11CACHE_REAL_H
#define PK11CACHE_REAL_H

#include <stdbool.h>
#include "preload/nss_types.h"

struct real {
#define HOOK(name, result, parameters) result(*name) parameters;
#define NEEDED HOOK
#include "hooks/hooks.def"
#include "preload/needed.def"
#undef NEEDED
#undef HOOK
};

extern struct real real;

/* Look the functions up. True when NSS was found. Safe to repeat and to race: every caller stores the same values. */
bool real_resolve(void);

/* PR_GetError as it will be again after a call of ours that bare NSS would not have made. */
struct nss_error {
    PRErrorCode code;
    PRInt32 os;
};
struct nss_error nss_error_get(void);
void nss_error_set(struct nss_error);

#endif
