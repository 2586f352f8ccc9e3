/* The life of NSS. NSS_NoDB_Init, NSS_Init and NSS_InitReadWrite are NSS_Initialize with fixed arguments plus a request
 * for one lock for all sessions of a slot (nssinit.c), which every PKCS#11 call of every thread then takes. With
 * session_locks=many the same init is made without that request. */
#include "hooks/hook.h"
#include "preload/options.h"

static bool many_locks(void) {
    enum mode mode = root_mode();
    return mode != MODE_INERT && mode != MODE_OFF && mode != MODE_UNKNOWN &&
           options.session_locks.number == SESSION_LOCKS_MANY;
}

static PRUint32 without_one_lock(PRUint32 flags) {
    return many_locks() ? flags & ~(PRUint32)NSS_INIT_OPTIMIZESPACE : flags;
}

static SECStatus initialised(SECStatus status) {
    if (status == SECSuccess)
        root_nss_initialised();
    return status;
}

HOOKED SECStatus NSS_NoDB_Init(const char *configdir) {
    if (!many_locks())
        return initialised(REAL(NSS_NoDB_Init)(configdir));
    return initialised(real.NSS_Initialize("", "", "", "",
                                           NSS_INIT_READONLY | NSS_INIT_NOCERTDB | NSS_INIT_NOMODDB |
                                               NSS_INIT_FORCEOPEN | NSS_INIT_NOROOTINIT));
}

HOOKED SECStatus NSS_Init(const char *configdir) {
    if (!many_locks())
        return initialised(REAL(NSS_Init)(configdir));
    return initialised(real.NSS_Initialize(configdir, "", "", SECMOD_DB, NSS_INIT_READONLY));
}

HOOKED SECStatus NSS_InitReadWrite(const char *configdir) {
    if (!many_locks())
        return initialised(REAL(NSS_InitReadWrite)(configdir));
    return initialised(real.NSS_Initialize(configdir, "", "", SECMOD_DB, 0));
}

HOOKED SECStatus NSS_Initialize(const char *configdir, const char *certprefix, const char *keyprefix,
                                const char *secmod, PRUint32 flags) {
    return initialised(REAL(NSS_Initialize)(configdir, certprefix, keyprefix, secmod, without_one_lock(flags)));
}

HOOKED NSSInitContext *NSS_InitContext(const char *configdir, const char *certprefix, const char *keyprefix,
                                       const char *secmod, NSSInitParameters *params, PRUint32 flags) {
    NSSInitContext *context =
        REAL(NSS_InitContext)(configdir, certprefix, keyprefix, secmod, params, without_one_lock(flags));
    initialised(context ? SECSuccess : SECFailure);
    return context;
}

HOOKED SECStatus NSS_InitWithMerge(const char *configdir, const char *certprefix, const char *keyprefix,
                                   const char *secmod, const char *updatedir, const char *updcertprefix,
                                   const char *updkeyprefix, const char *updid, const char *updname, PRUint32 flags) {
    return initialised(REAL(NSS_InitWithMerge)(configdir, certprefix, keyprefix, secmod, updatedir, updcertprefix,
                                               updkeyprefix, updid, updname, without_one_lock(flags)));
}

/* While it runs nothing registers a callback: that takes the lock that NSS holds. */
HOOKED SECStatus NSS_Shutdown(void) {
    atomic_fetch_add(&process.shutdowns, 1);
    SECStatus status = REAL(NSS_Shutdown)();
    atomic_fetch_sub(&process.shutdowns, 1);
    return status;
}

HOOKED SECStatus NSS_ShutdownContext(NSSInitContext *context) {
    atomic_fetch_add(&process.shutdowns, 1);
    SECStatus status = REAL(NSS_ShutdownContext)(context);
    atomic_fetch_sub(&process.shutdowns, 1);
    return status;
}
