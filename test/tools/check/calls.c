/* A program that calls NSS through its loader. */
#include <pk11pub.h>

int main(int argc, char **argv) {
    (void)argv;
    return argc > 99 && PK11_CreateContextBySymKey(0, 0, NULL, NULL) != NULL;
}
