/* Hosts that are less usual: under seccomp, with small stacks, many first calls at once, an exit or fork in the middle
 * of work. */
#include "scenario.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <prinit.h>
#include <pthread.h>
#include <sys/prctl.h>

/* No helper thread under a filter: the number of threads is that of the plain run. */
static void seccomp(void) {
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {1, &allow};
    init();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    printf("filter: %d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
    hammer("filtered", 1);
    hammer("filtered", 1);
    fflush(stdout);
    if (system("ls /proc/$PPID/task | wc -l") != 0)
        printf("no shell\n");
    print_shutdown("end");
}

static void *twice(void *arg) {
    hammer("small stack", 1);
    hammer("small stack", 1);
    return arg;
}

static void small_stacks(void) {
    init();
    for (size_t size = 24; size <= 64; size += 8) {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        if (pthread_attr_setstacksize(&attributes, size * 1024) == 0 &&
            pthread_create(&thread, &attributes, twice, NULL) == 0)
            pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
    }
    print_shutdown("end");
}

static bool silent(unsigned char seed) {
    unsigned char out[64];
    int length = 0;
    unsigned last = 0;
    PK11SymKey *key = import(seed);
    PK11Context *context = create(key, CKA_ENCRYPT);
    bool right = context &&
                 PK11_CipherOp(context, out, &length, sizeof out, (const unsigned char *)"abcdef", 6) == SECSuccess &&
                 PK11_DigestFinal(context, out + length, &last, 16) == SECSuccess && length + (int)last == 16;
    if (context)
        PK11_DestroyContext(context, PR_TRUE);
    if (key)
        PK11_FreeSymKey(key);
    return right;
}

static void *endless(void *arg) {
    for (;;)
        silent((unsigned char)(uintptr_t)arg);
    return NULL;
}

static void start_endless(int count) {
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, endless, (void *)(uintptr_t)(i / 2));
    }
    usleep(5000);
}

static void exit_in_the_middle(void) {
    init();
    start_endless(4);
    printf("exit\n");
    fflush(stdout);
    exit(0);
}

/* The children only exit: NSS's own locks may be held at the fork. */
static void fork_in_the_middle(void) {
    init();
    start_endless(3);
    for (int i = 0; i < 30; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, &status, 0);
        if (status)
            printf("child: %d\n", status);
    }
    printf("done\n");
    fflush(stdout);
    _exit(0);
}

static void *first(void *line) {
    pthread_barrier_wait(line);
    if (!silent(1))
        printf("wrong\n");
    return NULL;
}

static void first_calls_at_once(void) {
    for (int round = 0; round < 30; round++) {
        pthread_barrier_t line;
        pthread_t threads[8];
        init();
        pthread_barrier_init(&line, NULL, 8);
        for (int i = 0; i < 8; i++)
            pthread_create(&threads[i], NULL, first, &line);
        for (int i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        print_shutdown("round");
    }
}

/* The child has a helper thread of its own, which ages its cache. */
static void child_ages(void) {
    init();
    hammer("parent", 1);
    fflush(stdout);
    int status = 0;
    pid_t child = fork();
    if (child)
        waitpid(child, &status, 0);
    hammer(child ? "parent" : "child", 1);
    sleep(child ? 0 : 2);
    hammer(child ? "parent later" : "child later", 1);
    printf("%d\n", status);
    print_shutdown("end");
}

/* Ceph's end: NSPR is gone, and the process lives on for a while. */
static void cleanup(void) {
    init();
    hammer("before", 1);
    hammer("before", 1);
    print_shutdown("before");
    printf("PR_Cleanup: %d\n", PR_Cleanup());
    sleep(2);
}

static const struct scenario table[] = {{"seccomp", seccomp},
                                        {"small_stacks", small_stacks},
                                        {"exit_in_the_middle", exit_in_the_middle},
                                        {"fork_in_the_middle", fork_in_the_middle},
                                        {"first_calls_at_once", first_calls_at_once},
                                        {"child_ages", child_ages},
                                        {"cleanup", cleanup},
                                        {0}};

int main(int argc, char **argv) {
    return scenario_main(argc, argv, table);
}
