/* A program that looks NSS's functions up by name, past any preload. */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    void *nss = dlopen("libnss3.so", RTLD_NOW | RTLD_LOCAL);
    void *function = nss ? dlsym(nss, "PK11_CreateDigestContext") : NULL;
    return puts(function ? "found" : "not found") < 0;
}
