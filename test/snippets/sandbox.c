/* Row "file PR#179": a sandbox kills for a system call that it does not know. With nothing left but write and exit a
 * program that is warm goes on.
 * Tried: syscall(SYS_gettid) in hook_create: the child is killed.
 * not in: nproc deepbind - it needs a child; bare NSS may allocate
 * counts: hits */
#include "snippet.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static bool allow_nothing(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void child(void) {
    static const char fine[] = "300 messages without a system call\n", wrong[] = "a wrong one\n";
    unsigned char wanted[32];
    PK11SymKey *key = import(1);
    first_answer(key, wanted);
    for (int i = 0; i < 50; i++)
        encrypts(key, wanted);
    bool right = allow_nothing();
    for (int i = 0; i < 300; i++) {
        PK11SymKey *again = import(1);
        right = encrypts(again, wanted) && right;
        PK11_FreeSymKey(again);
    }
    syscall(SYS_write, STDOUT_FILENO, right ? fine : wrong, right ? sizeof fine - 1 : sizeof wrong - 1);
    syscall(SYS_exit_group, 0);
}

int snippet(void) {
    int status = -1;
    init();
    hammer("parent", 1);
    hammer("parent", 1);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        child();
    waitpid(pid, &status, 0);
    printf("killed for a call: %d\n", WIFSIGNALED(status));
    print_shutdown("end");
    return 0;
}
