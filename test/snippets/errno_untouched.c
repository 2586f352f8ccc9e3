/* A call that succeeds leaves errno alone, also where the cache has to make something.
 * counts: hits */
#include "snippet.h"

#include <errno.h>

int snippet(void) {
    init();
    for (unsigned char seed = 1; seed < 5; seed++)
        for (int i = 0; i < 3; i++) {
            unsigned char out[32];
            errno = 77;
            PK11SymKey *key = import(seed);
            first_answer(key, out);
            PK11_FreeSymKey(key);
            printf("errno %d\n", errno);
        }
    print_shutdown("end");
    return 0;
}
