/* Shutdown and initialisation again: what is idle must be gone, what is live must tell (-8053), as with bare NSS. */
#include "scenario.h"

static void rounds(void) {
    for (int i = 0; i < 100; i++) {
        init();
        hammer("round", 1);
        hammer("round", 1);
        hammer("other key", (unsigned char)i);
        print_shutdown("round");
    }
}

static NSSInitContext *init_context(void) {
    NSSInitParameters parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.length = sizeof parameters;
    NSSInitContext *context = NSS_InitContext("", "", "", "", &parameters, 0x2f);
    printf("NSS_InitContext %s\n", context ? "fine" : "failed");
    return context;
}

static void end_context(NSSInitContext *context) {
    SECStatus status = NSS_ShutdownContext(context);
    printf("NSS_ShutdownContext %d, error %d\n", status, status ? PR_GetError() : 0);
}

static void pairs(void) {
    for (int i = 0; i < 23; i++) {
        NSSInitContext *context = init_context();
        hammer("pair", 1);
        hammer("pair", 1);
        end_context(context);
    }
}

static void nested_pairs(void) {
    NSSInitContext *outer = init_context();
    hammer("outer", 1);
    for (int i = 0; i < 23; i++) {
        NSSInitContext *context = init_context();
        hammer("inner", 1);
        end_context(context);
    }
    hammer("outer", 1);
    end_context(outer);
}

static void live_context(void) {
    init();
    hammer("before", 1);
    PK11SymKey *key = import(1);
    PK11Context *context = create(key, CKA_ENCRYPT);
    PK11_FreeSymKey(key);
    print_shutdown("with a live context");
    SECStatus status = NSS_NoDB_Init(NULL);
    printf("NSS_NoDB_Init %d, error %d\n", status, status ? PR_GetError() : 0);
    PK11_DestroyContext(context, PR_TRUE);
}

static void held_key(void) {
    init();
    hammer("before", 1);
    PK11SymKey *key = import(1);
    print_shutdown("with a key held");
    (void)key;
}

static void held_slot(void) {
    init();
    hammer("before", 1);
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    print_shutdown("with a slot held");
    (void)slot;
}

static void init_again(void) {
    SECStatus status = NSS_NoDB_Init(NULL);
    printf("NSS_NoDB_Init %d, error %d\n", status, status ? PR_GetError() : 0);
    hammer("again", 1);
    hammer("again", 1);
    print_shutdown("end");
}

/* What was held over a shutdown is given back before the next init. */
static void given_back_late(void) {
    init();
    hammer("before", 1);
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    PK11SymKey *key = import(1);
    PK11Context *context = create(key, CKA_ENCRYPT);
    print_shutdown("with all three");
    PK11_DestroyContext(context, PR_TRUE);
    PK11_FreeSymKey(key);
    PK11_FreeSlot(slot);
    init_again();
}

/* Calls before the first init and after the last shutdown. */
static void outside(void) {
    hammer("before init", 1);
    init();
    hammer("inside", 1);
    hammer("inside", 1);
    print_shutdown("end");
    PK11SlotInfo *slot = PK11_GetBestSlot(CKM_AES_CBC_PAD, NULL);
    printf("slot %d, error %d\n", slot != NULL, PR_GetError());
    hammer("after shutdown", 1);
    init_again();
}

static void overlapping(void) {
    for (int i = 0; i < 5; i++) {
        NSSInitContext *first = init_context();
        hammer("first", 1);
        NSSInitContext *second = init_context();
        hammer("both", 1);
        end_context(first);
        hammer("second", 1);
        end_context(second);
    }
    init();
    NSSInitContext *context = init_context();
    hammer("mixed", 1);
    print_shutdown("with a context");
    hammer("the context", 1);
    end_context(context);
    hammer("nothing", 1);
}

/* A callback that uses crypto: ours ran first, so it must pass through. */
static PK11Context *for_callback;
static PK11SymKey *key_for_callback;

static SECStatus callback(void *arg, void *data) {
    (void)arg, (void)data;
    message("in the callback", for_callback);
    PK11_DestroyContext(for_callback, PR_TRUE);
    PK11_FreeSymKey(key_for_callback);
    hammer("a new one in the callback", 1);
    hammer("another", 5);
    return SECSuccess;
}

static void in_a_callback(void) {
    for (int i = 0; i < 3; i++) {
        init();
        NSS_RegisterShutdown(callback, NULL);
        hammer("before", 1);
        key_for_callback = import(1);
        for_callback = create(key_for_callback, CKA_ENCRYPT);
        print_shutdown("with a callback");
    }
}

static void without_init(void) {
    print_shutdown("never initialised");
    init();
    print_shutdown("unused");
    print_shutdown("again");
}

static const struct scenario table[] = {{"rounds", rounds},
                                        {"pairs", pairs},
                                        {"nested_pairs", nested_pairs},
                                        {"live_context", live_context},
                                        {"held_key", held_key},
                                        {"held_slot", held_slot},
                                        {"given_back_late", given_back_late},
                                        {"outside", outside},
                                        {"overlapping", overlapping},
                                        {"in_a_callback", in_a_callback},
                                        {"without_init", without_init},
                                        {0}};

int main(int argc, char **argv) {
    return scenario_main(argc, argv, table);
}
