/* What can change the best slot, or the token behind it: the cached answers are dropped before the real call and once
 * more after it, since another thread may have asked meanwhile. */
#include "hooks/hook.h"

#define INVALIDATES(name, result, parameters, arguments)                                                               \
    HOOKED result name parameters {                                                                                    \
        root_slots_changed();                                                                                          \
        result answer = REAL(name) arguments;                                                                          \
        root_slots_changed();                                                                                          \
        return answer;                                                                                                 \
    }

INVALIDATES(SECMOD_AddNewModule, SECStatus,
            (const char *name, const char *dll, unsigned long mechanisms, unsigned long ciphers),
            (name, dll, mechanisms, ciphers))
INVALIDATES(SECMOD_AddNewModuleEx, SECStatus,
            (const char *name, const char *dll, unsigned long mechanisms, unsigned long ciphers, char *modparms,
             char *nssparms),
            (name, dll, mechanisms, ciphers, modparms, nssparms))
INVALIDATES(SECMOD_LoadModule, SECMODModule *, (char *spec, SECMODModule *parent, PRBool recurse),
            (spec, parent, recurse))
INVALIDATES(SECMOD_LoadUserModule, SECMODModule *, (char *spec, SECMODModule *parent, PRBool recurse),
            (spec, parent, recurse))
INVALIDATES(SECMOD_LoadUserModuleWithFunction, SECMODModule *, (const char *name, void *entry), (name, entry))
INVALIDATES(SECMOD_UnloadUserModule, SECStatus, (SECMODModule * module), (module))
INVALIDATES(SECMOD_DeleteModule, SECStatus, (const char *name, int *type), (name, type))
INVALIDATES(SECMOD_DeleteModuleEx, SECStatus, (const char *name, SECMODModule *module, int *type, PRBool permdb),
            (name, module, type, permdb))
INVALIDATES(SECMOD_UpdateModule, SECStatus, (SECMODModule * module), (module))
INVALIDATES(SECMOD_UpdateSlotList, SECStatus, (SECMODModule * module), (module))
INVALIDATES(SECMOD_OpenUserDB, PK11SlotInfo *, (const char *spec), (spec))
INVALIDATES(SECMOD_OpenNewSlot, PK11SlotInfo *, (SECMODModule * module, const char *spec), (module, spec))
INVALIDATES(SECMOD_CloseUserDB, SECStatus, (PK11SlotInfo * slot), (slot))
INVALIDATES(SECMOD_WaitForAnyTokenEvent, PK11SlotInfo *,
            (SECMODModule * module, unsigned long flags, PRIntervalTime latency), (module, flags, latency))
INVALIDATES(PK11_UpdateSlotAttribute, SECStatus, (PK11SlotInfo * slot, const PK11DefaultArrayEntry *entry, PRBool add),
            (slot, entry, add))
INVALIDATES(PK11_UserEnableSlot, PRBool, (PK11SlotInfo * slot), (slot))
INVALIDATES(PK11_UserDisableSlot, PRBool, (PK11SlotInfo * slot), (slot))
INVALIDATES(PK11_ResetToken, SECStatus, (PK11SlotInfo * slot, char *sso), (slot, sso))
INVALIDATES(PK11_InitPin, SECStatus, (PK11SlotInfo * slot, const char *sso, const char *pin), (slot, sso, pin))
INVALIDATES(PK11_ChangePW, SECStatus, (PK11SlotInfo * slot, const char *oldpw, const char *newpw), (slot, oldpw, newpw))
INVALIDATES(PK11_TokenRefresh, SECStatus, (PK11SlotInfo * slot), (slot))
INVALIDATES(PK11_WaitForTokenEvent, int,
            (PK11SlotInfo * slot, int event, PRIntervalTime timeout, PRIntervalTime poll, int series),
            (slot, event, timeout, poll, series))
INVALIDATES(PK11_Logout, SECStatus, (PK11SlotInfo * slot), (slot))

/* The old module stays pending, and the next switch fails, until the last slot and key of it is freed (pk11util.c). */
HOOKED SECStatus SECMOD_DeleteInternalModule(const char *name) {
    root_slots_changed();
    if (hook_active())
        cache_flush();
    SECStatus answer = REAL(SECMOD_DeleteInternalModule)(name);
    root_slots_changed();
    return answer;
}

HOOKED void PK11_LogoutAll(void) {
    root_slots_changed();
    REAL(PK11_LogoutAll)();
    root_slots_changed();
}

/* It runs inside every NSS_InitContext, and normally restarts nothing: whether it did, the series tells each hit. The
 * best slot's answer stays unless it was restarted by force. */
HOOKED SECStatus SECMOD_RestartModules(PRBool force) {
    SECStatus answer = REAL(SECMOD_RestartModules)(force);
    if (force)
        root_slots_changed();
    return answer;
}
