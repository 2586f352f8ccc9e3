/* A program that uses a hooked function of NSS, but makes no context. */
#include <pk11pub.h>

int main(int argc, char **argv) {
    (void)argv;
    return argc > 99 && PK11_GetBestSlot(CKM_AES_CBC, NULL) != NULL;
}
