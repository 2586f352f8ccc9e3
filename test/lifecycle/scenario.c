#include "scenario.h"

static unsigned char iv[17] = "cephsageyudagreg";
static SECItem param = {siBuffer, iv, sizeof iv};

int scenario_main(int argc, char **argv, const struct scenario *table) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (; argc == 2 && table->name; table++)
        if (!strcmp(table->name, argv[1])) {
            table->run();
            return 0;
        }
    fprintf(stderr, "no such scenario\n");
    return 2;
}

void init(void) {
    if (NSS_NoDB_Init(NULL) != SECSuccess)
        printf("NSS_NoDB_Init failed: %d\n", PR_GetError());
}

void print_shutdown(const char *when) {
    SECStatus status = NSS_Shutdown();
    printf("%s: NSS_Shutdown %d, error %d\n", when, status, status ? PR_GetError() : 0);
}

PK11SymKey *import(unsigned char seed) {
    unsigned char bytes[16];
    memset(bytes, seed, sizeof bytes);
    SECItem item = {siBuffer, bytes, sizeof bytes};
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    if (!slot)
        return NULL;
    PK11SymKey *key = PK11_ImportSymKey(slot, CKM_AES_CBC_PAD, PK11_OriginUnwrap, CKA_ENCRYPT, &item, NULL);
    PK11_FreeSlot(slot);
    return key;
}

PK11Context *create(PK11SymKey *key, CK_ATTRIBUTE_TYPE operation) {
    return key ? PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, operation, key, &param) : NULL;
}

void message(const char *label, PK11Context *context) {
    unsigned char text[29] = "a message of twenty-nine byte", out[64] = {0};
    int length = 0;
    unsigned last = 0;
    if (!context) {
        printf("%s: no context, error %d\n", label, PR_GetError());
        return;
    }
    SECStatus op = PK11_CipherOp(context, out, &length, sizeof out, text, sizeof text);
    SECStatus final = PK11_DigestFinal(context, out + length, &last, 16);
    printf("%s: %d %d, %d + %u bytes: %02x%02x%02x%02x..%02x%02x\n", label, op, final, length, last, out[0], out[1],
           out[2], out[3], out[30], out[31]);
}

void hammer(const char *label, unsigned char seed) {
    PK11SymKey *key = import(seed);
    PK11Context *context = create(key, CKA_ENCRYPT);
    message(label, context);
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (key)
        PK11_FreeSymKey(key);
}
