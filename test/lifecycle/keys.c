/* Keys: what the program does to them, and that two keys are never taken for each other. */
#include "scenario.h"

#include <secmod.h>

static void wiped(void) {
    init();
    for (int i = 0; i < 3; i++) {
        PK11SymKey *key = import(1);
        PK11Context *context = create(key, CKA_ENCRYPT);
        message("before the wipe", context);
        PK11_DestroyContext(context, PR_TRUE);
        SECItem *data = PK11_GetKeyData(key);
        memset(data->data, 0, data->len);
        context = create(key, CKA_ENCRYPT);
        message("the token has the old key", context);
        PK11_DestroyContext(context, PR_TRUE);
        PK11_FreeSymKey(key);
        hammer("the same key again", 1);
        hammer("the key of zeros", 0);
    }
    print_shutdown("end");
}

static PK11Context *of_the_key;
static void freed(void *data) {
    printf("freeFunc of %s\n", (const char *)data);
    if (of_the_key)
        PK11_DestroyContext(of_the_key, PR_TRUE);
    of_the_key = NULL;
}

static void free_function(void) {
    init();
    hammer("before", 1);
    PK11SymKey *key = import(1), *other = import(2);
    hammer("in use", 1);
    PK11_SetSymKeyUserData(key, "the key", freed);
    of_the_key = create(other, CKA_ENCRYPT);
    printf("free\n");
    PK11_FreeSymKey(key);
    printf("freed\n");
    PK11_FreeSymKey(other);
    hammer("after", 1);
    print_shutdown("end");
}

/* The user data comes last, or first, and the key is used for several contexts: its freeFunc runs when it does bare. */
static void free_function_late(void) {
    init();
    hammer("before", 1);
    hammer("before", 1);
    for (int round = 0; round < 3; round++) {
        PK11SymKey *key = import(1);
        PK11Context *context = round == 1 ? create(key, CKA_ENCRYPT) : NULL;
        PK11_SetSymKeyUserData(key, "the first", freed);
        PK11_SetSymKeyUserData(key, "the second", freed);
        for (int i = 0; i < 4; i++) {
            PK11Context *another = create(key, CKA_ENCRYPT);
            message("of the key", another);
            PK11_DestroyContext(another, PR_TRUE);
        }
        printf("free\n");
        PK11_FreeSymKey(key);
        printf("destroy\n");
        if (context)
            PK11_DestroyContext(context, PR_TRUE);
        printf("destroyed\n");
        hammer("the same bytes", 1);
    }
    print_shutdown("end");
}

/* Keys that were not imported, with few contexts each. */
static void generated(void) {
    init();
    PK11SlotInfo *slot = PK11_GetInternalSlot();
    for (int i = 0; i < 200; i++) {
        PK11SymKey *key = PK11_KeyGen(slot, CKM_AES_KEY_GEN, NULL, 16, NULL), *again = PK11_ReferenceSymKey(key);
        for (int j = 0; j < 1 + i % 4; j++) {
            PK11Context *context = create(key, j % 2 ? CKA_DECRYPT : CKA_ENCRYPT);
            if (context)
                PK11_DestroyContext(context, PR_TRUE);
            else
                printf("no context\n");
        }
        PK11_FreeSymKey(key);
        PK11_FreeSymKey(again);
    }
    PK11_FreeSlot(slot);
    hammer("after", 1);
    print_shutdown("end");
}

/* The same bytes under another mechanism, operation, origin or length are another key. */
static void identities(void) {
    init();
    unsigned char bytes[32];
    memset(bytes, 7, sizeof bytes);
    static const struct {
        CK_MECHANISM_TYPE mechanism;
        CK_ATTRIBUTE_TYPE operation;
        unsigned length;
    } cases[] = {
        {CKM_AES_CBC_PAD, CKA_ENCRYPT, 16}, {CKM_AES_CBC_PAD, CKA_DECRYPT, 16}, {CKM_AES_CBC_PAD, CKA_ENCRYPT, 24},
        {CKM_AES_CBC_PAD, CKA_ENCRYPT, 32}, {CKM_AES_CBC, CKA_ENCRYPT, 16},     {CKM_SHA256_HMAC, CKA_SIGN, 16},
        {CKM_DES3_CBC, CKA_ENCRYPT, 24},    {CKM_AES_CBC_PAD, CKA_UNWRAP, 16},  {CKM_AES_CBC_PAD, CKA_SIGN, 16}};
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            SECItem item = {siBuffer, bytes, cases[i].length};
            PK11SymKey *key =
                PK11_ImportSymKey(slot, cases[i].mechanism, PK11_OriginUnwrap, cases[i].operation, &item, NULL);
            printf("case %zu: length %u\n", i, PK11_GetKeyLength(key));
            for (int decrypt = 0; decrypt < 2; decrypt++) {
                PK11Context *context = create(key, decrypt ? CKA_DECRYPT : CKA_ENCRYPT);
                message(decrypt ? "  decrypt" : "  encrypt", context);
                if (context)
                    PK11_DestroyContext(context, PR_TRUE);
            }
            PK11_FreeSymKey(key);
        }
    PK11_FreeSlot(slot);
    print_shutdown("end");
}

static void restarted(void) {
    init();
    hammer("before", 1);
    hammer("before", 1);
    for (int i = 0; i < 3; i++) {
        PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
        int series = PK11_GetSlotSeries(slot);
        printf("SECMOD_RestartModules(PR_TRUE): %d\n", SECMOD_RestartModules(PR_TRUE));
        printf("the series moved by %d\n", PK11_GetSlotSeries(slot) - series);
        PK11_FreeSlot(slot);
        hammer("after", 1);
        hammer("after", 2);
        hammer("after", 1);
    }
    print_shutdown("end");
}

static void orders(void) {
    init();
    PK11SymKey *a = import(1), *b = import(1), *c = import(2);
    PK11Context *x = create(a, CKA_ENCRYPT), *y = create(b, CKA_DECRYPT), *z = create(c, CKA_ENCRYPT);
    PK11_FreeSymKey(a);
    PK11_FreeSymKey(b);
    message("key freed", x);
    PK11_DestroyContext(y, PR_TRUE);
    PK11_FreeSymKey(c);
    PK11_DestroyContext(x, PR_TRUE);
    message("still there", z);
    PK11_DestroyContext(z, PR_TRUE);
    print_shutdown("end");
}

static void leaked(void) {
    init();
    PK11SymKey *key = import(1);
    for (int i = 0; i < 30000; i++)
        if (!create(key, CKA_ENCRYPT))
            printf("no context\n");
    hammer("after 30000 leaks", 1);
    hammer("another key", 2);
    PK11_FreeSymKey(key);
    print_shutdown("with the leaks");
}

static void long_lived(void) {
    init();
    PK11SymKey *key = import(1);
    PK11Context *kept = create(key, CKA_ENCRYPT);
    for (int i = 0; i < 3; i++) {
        message("kept", kept);
        sleep(1);
        hammer("after a pause", 1);
        PK11_DigestBegin(kept);
    }
    PK11_DestroyContext(kept, PR_TRUE);
    PK11_FreeSymKey(key);
    print_shutdown("end");
}

/* ceph#6698 destroys twice; for bare NSS that is a use after free, so this one is only run preloaded. */
static void destroyed_twice(void) {
    init();
    hammer("before", 1);
    PK11SymKey *key = import(1);
    PK11Context *gone = create(key, CKA_ENCRYPT);
    PK11_DestroyContext(gone, PR_TRUE);
    PK11_DestroyContext(gone, PR_TRUE);
    PK11Context *first = create(key, CKA_ENCRYPT), *second = create(key, CKA_ENCRYPT);
    printf("distinct: %d\n", first != second && gone != first && gone != second);
    PK11_DestroyContext(gone, PR_TRUE);
    message("gone", gone);
    message("first", first);
    message("second", second);
    PK11_DestroyContext(first, PR_TRUE);
    PK11_DestroyContext(second, PR_TRUE);
    PK11_FreeSymKey(key);
    print_shutdown("end");
}

static void pause_between(void) {
    init();
    hammer("before", 1);
    sleep(3);
    hammer("after", 1);
    print_shutdown("end");
}

static const struct scenario table[] = {{"wiped", wiped},
                                        {"free_function", free_function},
                                        {"identities", identities},
                                        {"restarted", restarted},
                                        {"orders", orders},
                                        {"leaked", leaked},
                                        {"free_function_late", free_function_late},
                                        {"generated", generated},
                                        {"destroyed_twice", destroyed_twice},
                                        {"long_lived", long_lived},
                                        {"pause", pause_between},
                                        {0}};

int main(int argc, char **argv) {
    return scenario_main(argc, argv, table);
}
