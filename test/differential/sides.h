/* sides.h - the two sides that are compared: NSS through the hooks, and bare NSS (the real functions) in the
 * same process. */
#ifndef DIFFERENTIAL_SIDES_H
#define DIFFERENTIAL_SIDES_H

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <stdbool.h>

#define SIDE_FUNCTIONS(F)                                                                                              \
    F(PK11_GetBestSlot)                                                                                                \
    F(PK11_FreeSlot)                                                                                                   \
    F(PK11_ImportSymKey) F(PK11_FreeSymKey) F(PK11_CreateContextBySymKey) F(PK11_CreateDigestContext)                  \
        F(PK11_CloneContext) F(PK11_DestroyContext) F(PK11_DigestBegin) F(PK11_DigestOp) F(PK11_DigestKey)             \
            F(PK11_DigestFinal) F(PK11_CipherOp) F(PK11_Finalize) F(PK11_SaveContextAlloc) F(PK11_RestoreContext)      \
                F(PK11_ContextGetFIPSStatus) F(PK11_GetKeyData)

struct side {
    const char *name;
#define F(function) __typeof__(function) *function;
    SIDE_FUNCTIONS(F)
#undef F
};

extern struct side hooked, bare;

/* Fill both. False when NSS is not there or bare is not bare. */
bool sides_init(void);

/* Is this context a handle of the cache? */
static inline bool is_handle(const PK11Context *context) {
    return (unsigned long)context >> 55 == 0x1ff;
}

#endif
