/* libc.h - libc as it was in glibc 2.17: symbols that moved later are bound to their old versions, since a
 * library that needs a newer GLIBC_ version keeps its host from starting. Included before the first use. */
#ifndef PK11CACHE_LIBC_H
#define PK11CACHE_LIBC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PK11CACHE_OLD_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define PK11CACHE_OLD_GLIBC "GLIBC_2.17"
#endif

#if defined(PK11CACHE_OLD_GLIBC) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BIND_OLD(symbol) __asm__(".symver " #symbol "," #symbol "@" PK11CACHE_OLD_GLIBC)
BIND_OLD(dlsym);
BIND_OLD(dlopen);
BIND_OLD(dladdr);
BIND_OLD(pthread_create);
BIND_OLD(pthread_detach);
BIND_OLD(pthread_key_create);
BIND_OLD(pthread_setspecific);
BIND_OLD(pthread_sigmask);
BIND_OLD(pthread_attr_setstacksize);
#undef BIND_OLD
#endif

/* lstat and its like are GLIBC_2.33's, and older ones are not to be linked any more; on these machines the kernel's
 * struct is libc's. */
static inline int libc_lstat(const char *path, struct stat *status) {
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

#endif
