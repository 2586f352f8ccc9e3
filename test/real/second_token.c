/* second_token MODULE: keys on a second PKCS#11 module's token (SoftHSM2), each used for several contexts. What is printed, the number
 * of its open sessions too, must be the same bare and preloaded: a session on a card is a scarce thing, so that nothing of it is
 * cached or held. */
#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secmod.h>
#include <stdio.h>
#include <string.h>

static void sessions(PK11SlotInfo *slot, const char *when) {
    CK_TOKEN_INFO info;
    memset(&info, 0, sizeof info);
    SECStatus status = PK11_GetTokenInfo(slot, &info);
    printf("%s: status %d, sessions %lu\n", when, status, (unsigned long)info.ulSessionCount);
}

static void message(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, unsigned char seed) {
    unsigned char bytes[16], iv[16] = "sixteen bytes iv", out[64];
    unsigned last = 0;
    int length = -1;
    memset(bytes, seed, sizeof bytes);
    SECItem item = {siBuffer, bytes, sizeof bytes}, param = {siBuffer, iv, sizeof iv};
    PK11SymKey *key = PK11_ImportSymKey(slot, type, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
    for (int i = 0; i < 3; i++) {
        PK11Context *context = key ? PK11_CreateContextBySymKey(type, CKA_ENCRYPT, key, &param) : NULL;
        SECStatus op = context ? PK11_CipherOp(context, out, &length, sizeof out, (const unsigned char *)"a message of 29 bytes, in full", 29) : SECFailure;
        SECStatus end = context ? PK11_DigestFinal(context, out + (length > 0 ? length : 0), &last, 32) : SECFailure;
        printf("key %u: context %d, op %d, final %d, %d+%u bytes, %02x%02x, error %d\n", seed, context != NULL, op, end, length, last, out[0], out[15],
               context ? 0 : PR_GetError());
        if (context)
            PK11_DestroyContext(context, PR_TRUE);
    }
    if (key)
        PK11_FreeSymKey(key);
}

int main(int argc, char **argv) {
    char spec[512];
    if (argc != 2 || NSS_NoDB_Init(NULL) != SECSuccess)
        return 2;
    snprintf(spec, sizeof spec, "library=%s name=second", argv[1]);
    SECMODModule *module = SECMOD_LoadUserModule(spec, NULL, PR_FALSE);
    printf("loaded: %d, slots %d\n", module && module->loaded, module ? module->slotCount : 0);
    for (int i = 0; module && i < module->slotCount; i++) {
        PK11SlotInfo *slot = module->slots[i];
        if (strcmp(PK11_GetTokenName(slot), "second") != 0)
            continue;
        printf("login: %d\n", PK11_CheckUserPassword(slot, "1234"));
        sessions(slot, "before");
        for (int round = 0; round < 3; round++) {
            message(slot, CKM_AES_CBC_PAD, 1);
            message(slot, CKM_AES_CBC_PAD, 2);
            sessions(slot, "after a round");
        }
        PK11SlotInfo *best = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
        printf("best slot internal: %d\n", best && PK11_IsInternal(best));
        for (int round = 0; best && round < 3; round++)
            message(best, CKM_AES_CBC_PAD, 3);
        PK11_FreeSlot(best);
        printf("logout: %d\n", PK11_Logout(slot));
    }
    if (module) {
        printf("unloaded: %d\n", SECMOD_UnloadUserModule(module));
        SECMOD_DestroyModule(module);
    }
    printf("shutdown: %d\n", NSS_Shutdown());
    return 0;
}
