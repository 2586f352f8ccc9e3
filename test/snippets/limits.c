/* What a host may lack. Each makes sure that it lacks it. */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool complain(const char *what) {
    fprintf(stderr, "%s\n", what);
    return false;
}

static bool filter(struct sock_filter *code, size_t count) {
    struct sock_fprog program = {(unsigned short)count, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ON(call, answer) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, (answer))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define COUNT(array) (sizeof(array) / sizeof *(array))

bool limit_seccomp(void) {
    struct sock_filter code[] = {NUMBER, ON(SYS_socket, SECCOMP_RET_ERRNO | EACCES), ALLOW};
    if (!filter(code, COUNT(code)) || socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EACCES)
        return complain("socket() is not refused");
    return true;
}

bool limit_killing(void) {
    struct sock_filter code[] = {NUMBER,
                                 ON(SYS_socket, SECCOMP_RET_KILL_PROCESS),
                                 ON(SYS_unshare, SECCOMP_RET_KILL_PROCESS),
                                 ON(SYS_membarrier, SECCOMP_RET_KILL_PROCESS),
                                 ON(SYS_getppid, SECCOMP_RET_ERRNO | EACCES),
                                 ALLOW};
    if (!filter(code, COUNT(code)) || syscall(SYS_getppid) >= 0)
        return complain("there is no filter");
    return true;
}

static void *nothing(void *arg) {
    return arg;
}

bool limit_nproc(void) {
    struct rlimit none = {0, 0};
    pthread_t thread;
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || pthread_create(&thread, NULL, nothing, NULL) != EAGAIN)
        return complain("threads can be started: it needs a user without CAP_SYS_RESOURCE");
    return true;
}

static struct rlimit files;

bool limit_nofile(void) {
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return complain("no limit");
    struct rlimit three = {3, files.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &three) != 0 || open("/dev/null", O_RDONLY) >= 0 || errno != EMFILE)
        return complain("files can be opened");
    return true;
}

void limit_nofile_end(void) {
    setrlimit(RLIMIT_NOFILE, &files);
}

bool limit_secure(void) {
    return getauxval(AT_SECURE) || complain("AT_SECURE is not set");
}
