/* A plugin that makes contexts, a hundred. 0 when that works. */
#include <nss.h>
#include <pk11pub.h>

int plugin_use(void);

int plugin_use(void) {
    int made = 0;
    if (NSS_NoDB_Init(NULL) != SECSuccess)
        return 1;
    for (int i = 0; i < 100; i++) {
        PK11Context *context = PK11_CreateDigestContext(SEC_OID_SHA256);
        made += context != NULL;
        if (context)
            PK11_DestroyContext(context, PR_TRUE);
    }
    return made != 100;
}
