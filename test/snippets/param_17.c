/* The IV comes as a parameter of 17 bytes in Ceph, of 32 in radosgw: the first 16 count.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    static unsigned char long_iv[32] = "cephsageyudagreg and more bytes";
    init();
    PK11SymKey *key = import(1);
    for (unsigned length = 16; length <= 32; length += length == 16 ? 1 : 15) {
        SECItem iv = {siBuffer, long_iv, length};
        for (int i = 0; i < 2; i++) {
            SECItem *param = PK11_ParamFromIV(CKM_AES_CBC_PAD, &iv);
            printf("parameter of %u bytes\n", param->len);
            PK11Context *context = PK11_CreateContextBySymKey(CKM_AES_CBC_PAD, CKA_ENCRYPT, key, param);
            SECITEM_FreeItem(param, PR_TRUE); /* at once: NSS keeps its own copy */
            message("message", context);
            PK11_DestroyContext(context, PR_TRUE);
        }
    }
    PK11_FreeSymKey(key);
    print_shutdown("end");
    return 0;
}
