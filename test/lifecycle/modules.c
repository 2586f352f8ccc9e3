/* Modules and tokens that change below the cache: another module, a restart, a switch to FIPS, a database with a
 * password. */
#include "scenario.h"

#include <secmod.h>

static void module_loaded(void) {
    init();
    hammer("before", 1);
    hammer("before", 1);
    SECMODModule *roots = SECMOD_LoadUserModule("library=libnssckbi.so name=roots", NULL, PR_FALSE);
    printf("loaded: %d\n", roots && roots->loaded); /* where it isn't installed, neither run loads it */
    hammer("with it", 1);
    hammer("with it", 1);
    if (roots) {
        printf("unloaded: %d\n", SECMOD_UnloadUserModule(roots));
        SECMOD_DestroyModule(roots);
    }
    hammer("after", 1);
    hammer("after", 1);
    SECMODModule *none = SECMOD_LoadUserModule("library=/nonexistent.so name=none", NULL, PR_FALSE);
    printf("a module that is not there: %d\n", none && none->loaded);
    if (none)
        SECMOD_DestroyModule(none);
    hammer("after a failure", 1);
    print_shutdown("end");
}

/* To FIPS and back: the second switch fails as long as anybody holds a slot or key of the first module (pk11util.c). */
static void fips_and_back(void) {
    init();
    hammer("before", 1);
    hammer("before", 1);
    for (int i = 0; i < 2; i++) {
        SECMODModule *internal = SECMOD_GetInternalModule();
        SECStatus status = SECMOD_DeleteInternalModule(internal->commonName);
        printf("switched: %d, FIPS %d\n", status, PK11_IsFIPS());
        hammer("after", 1);
        hammer("after", 1);
        hammer("after", 2);
    }
    print_shutdown("end");
}

/* A key from before the restart has the object number of one from after it: it must not serve as that one. */
static void key_over_restart(void) {
    init();
    hammer("before", 1);
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    int series = PK11_GetSlotSeries(slot);
    PK11SymKey *key = import(1);
    PK11Context *context = create(key, CKA_ENCRYPT);
    message("before", context);
    printf("restart: %d, ", SECMOD_RestartModules(PR_TRUE));
    printf("the series moved by %d\n", PK11_GetSlotSeries(slot) - series);
    hammer("another key", 2);
    for (int i = 0; i < 3; i++) {
        PK11Context *late = create(key, CKA_ENCRYPT);
        message("the key from before", late);
        if (late)
            PK11_DestroyContext(late, PR_TRUE);
        hammer("another key", 2);
    }
    PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
    hammer("another key", 2);
    hammer("the first key", 1);
    print_shutdown("end");
}

static void of_the_key_slot(PK11SlotInfo *slot) {
    unsigned char bytes[16] = "0123456789abcde";
    SECItem item = {siBuffer, bytes, sizeof bytes};
    PK11SymKey *key = PK11_ImportSymKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
    printf("import: %d, error %d\n", key != NULL, key ? 0 : PR_GetError());
    PK11Context *context = create(key, CKA_ENCRYPT);
    message("on the key slot", context);
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (key)
        PK11_FreeSymKey(key);
}

static void password(void) {
    char folder[] = "/tmp/lifecycle.XXXXXX", spec[64], command[64];
    if (!mkdtemp(folder))
        return;
    snprintf(spec, sizeof spec, "sql:%s", folder);
    for (int round = 0; round < 3; round++) {
        printf("init: %d\n", NSS_InitReadWrite(spec));
        PK11SlotInfo *slot = PK11_GetInternalKeySlot();
        if (round == 0)
            printf("PIN: %d\n", PK11_InitPin(slot, "", "secret"));
        hammer("on the crypto slot", 1);
        hammer("on the crypto slot", 1);
        of_the_key_slot(slot);
        printf("password: %d\n", PK11_CheckUserPassword(slot, "secret"));
        of_the_key_slot(slot);
        PK11_LogoutAll();
        of_the_key_slot(slot);
        PK11_FreeSlot(slot);
        print_shutdown("round");
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        printf("the folder stays\n");
}

static const struct scenario table[] = {{"module_loaded", module_loaded},
                                        {"fips_and_back", fips_and_back},
                                        {"key_over_restart", key_over_restart},
                                        {"password", password},
                                        {0}};

int main(int argc, char **argv) {
    return scenario_main(argc, argv, table);
}
