/* Forks: fork, daemon, posix_spawn, popen, exec; before and after the first call, with handles, with threads. */
#include "scenario.h"

#include <pthread.h>
#include <spawn.h>

static void in_child(void (*story)(void)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        story();
        fflush(stdout);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", status);
}

static void three_and_shutdown(void) {
    for (int i = 0; i < 3; i++)
        hammer("child", 1);
    hammer("child's own key", 2);
    print_shutdown("child");
}

static void init_and_use(void) {
    init();
    three_and_shutdown();
}

static void before_first_call(void) {
    in_child(init_and_use);
    init();
    hammer("parent", 1);
    in_child(three_and_shutdown);
    hammer("parent", 1);
    print_shutdown("parent");
}

static void after_use(void) {
    init();
    for (int i = 0; i < 5; i++)
        hammer("parent", 1);
    in_child(three_and_shutdown);
    hammer("parent", 1);
    print_shutdown("parent");
}

static PK11Context *inherited;
static PK11SymKey *inherited_key;

static void use_inherited(void) {
    message("inherited context", inherited);
    PK11_DestroyContext(inherited, PR_TRUE);
    PK11Context *again = create(inherited_key, CKA_ENCRYPT);
    message("new context of the inherited key", again);
    PK11_DestroyContext(again, PR_TRUE);
    PK11_FreeSymKey(inherited_key);
    print_shutdown("child");
}

static void with_a_handle(void) {
    init();
    hammer("parent", 3);
    inherited_key = import(3);
    inherited = create(inherited_key, CKA_ENCRYPT);
    in_child(use_inherited);
    message("parent's context", inherited);
    PK11_DestroyContext(inherited, PR_TRUE);
    PK11_FreeSymKey(inherited_key);
    print_shutdown("parent");
}

static void grandchild(void) {
    hammer("child", 1);
    in_child(three_and_shutdown);
    print_shutdown("middle");
}

static void of_a_child(void) {
    init();
    hammer("parent", 1);
    in_child(grandchild);
    print_shutdown("parent");
}

static pthread_barrier_t parked, go;
static void *parked_thread(void *arg) {
    (void)arg;
    for (int i = 0; i < 20; i++) {
        PK11SymKey *key = import(9);
        PK11Context *context = create(key, CKA_ENCRYPT);
        PK11_DestroyContext(context, PR_TRUE);
        PK11_FreeSymKey(key);
    }
    pthread_barrier_wait(&parked);
    pthread_barrier_wait(&go);
    return NULL;
}

static void with_threads_parked(void) {
    pthread_t threads[4];
    init();
    pthread_barrier_init(&parked, NULL, 5);
    pthread_barrier_init(&go, NULL, 5);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, parked_thread, NULL);
    pthread_barrier_wait(&parked);
    for (int i = 0; i < 20; i++)
        in_child(three_and_shutdown);
    pthread_barrier_wait(&go);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    print_shutdown("parent");
}

/* Ceph's way: NSS after daemon(). The output goes on through the standard descriptors, which are kept. */
static void daemonised(void) {
    fflush(stdout);
    int ends[2];
    if (pipe(ends))
        return;
    if (fork() == 0) {
        if (daemon(1, 1) == 0) {
            init();
            hammer("daemon", 1);
            hammer("daemon", 1);
            print_shutdown("daemon");
            fflush(stdout);
        }
        _exit(0);
    }
    close(ends[1]);
    char byte;
    if (read(ends[0], &byte, 1) != 0) /* ends when the daemon, the last holder, ends */
        printf("unexpected byte\n");
    wait(NULL);
    printf("done\n");
}

static void daemonised_after_use(void) {
    init();
    hammer("before", 1);
    daemonised();
}

extern char **environ;
static void spawned(void) {
    init();
    hammer("parent", 1);
    fflush(stdout);
    char self[256];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *arguments[] = {self, "after_use", NULL};
    pid_t child;
    int status = -1;
    if (posix_spawn(&child, self, NULL, NULL, arguments, environ) == 0)
        waitpid(child, &status, 0);
    printf("spawned: %d\n", status);
    fflush(stdout);
    FILE *pipe = popen("echo through popen", "r");
    char line[64] = "";
    if (pipe && fgets(line, sizeof line, pipe))
        fputs(line, stdout);
    if (pipe)
        pclose(pipe);
    hammer("parent", 1);
    print_shutdown("parent");
    fflush(stdout);
    execl(self, self, "after_use", (char *)NULL);
}

static const struct scenario table[] = {{"before_first_call", before_first_call},
                                        {"after_use", after_use},
                                        {"with_a_handle", with_a_handle},
                                        {"of_a_child", of_a_child},
                                        {"with_threads_parked", with_threads_parked},
                                        {"daemonised", daemonised},
                                        {"daemonised_after_use", daemonised_after_use},
                                        {"spawned", spawned},
                                        {0}};

int main(int argc, char **argv) {
    return scenario_main(argc, argv, table);
}
