#include "preload/secret.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t secret_seed[4];

void secret_init(void) {
    int saved = errno;
    long got = -1;
#ifdef SYS_getrandom
    got = syscall(SYS_getrandom, secret_seed, sizeof secret_seed, 1 /* GRND_NONBLOCK */);
#endif
    if (got != (long)sizeof secret_seed) {
        /* An old kernel: the 16 random bytes that it gave this process at exec, and the clock. */
        const unsigned char *random = (const unsigned char *)getauxval(AT_RANDOM);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (random)
            memcpy(secret_seed, random, 16);
        secret_seed[2] = secret_mix(secret_seed[0] | 1, (uint64_t)now.tv_nsec | 1);
        secret_seed[3] = secret_mix(secret_seed[1] | 1, (uint64_t)getpid() ^ (uint64_t)now.tv_sec);
    }
    errno = saved;
}
