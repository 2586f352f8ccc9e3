/* snippet_host SETTING NAME [SNIPPETS [LIBRARY]]: run a snippet in a setting. SNIPPETS: load them from this library,
 * since the program is not linked with them. LIBRARY: the cache, for the setting that unloads it. */
#include "host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct setting {
    const char *name;
    int (*run)(void);
    int load_flags; /* where the snippets are loaded */
};

static void *snippets, *library;
static int (*snippet)(void);

static int run_here(void) {
    int status = snippet();
    fflush(stdout);
    return status;
}

static void call(const char *name) {
    void (*function)(void) = (void (*)(void))dlsym(snippets, name);
    if (!function)
        exit(HOST_BROKEN);
    function();
}

static int wait_for(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return HOST_BROKEN;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_in_child(void) {
    pid_t child = fork();
    if (child == 0)
        exit(run_here());
    return wait_for(child);
}

static int run_warm(void) {
    call("snippet_warm");
    return run_here();
}

static int run_in_warm_child(void) {
    call("snippet_warm");
    return run_in_child();
}

static void *thread_body(void *arg) {
    (void)arg;
    return (void *)(intptr_t)run_here();
}

static int run_in_thread(void) {
    pthread_t thread;
    void *status;
    if (pthread_create(&thread, NULL, thread_body, NULL) != 0 || pthread_join(thread, &status) != 0)
        return HOST_BROKEN;
    return (int)(intptr_t)status;
}

/* As Ceph does: daemon() first, NSS after it. The status comes through a pipe. */
static int run_as_daemon(void) {
    int ends[2];
    unsigned char status = HOST_BROKEN;
    if (pipe(ends) != 0)
        return HOST_BROKEN;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (daemon(1, 1) != 0)
            _exit(HOST_BROKEN);
        status = (unsigned char)run_here();
        exit(write(ends[1], &status, 1) != 1);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], &status, 1);
    char more;
    while (got == 1 && read(ends[0], &more, 1) > 0) /* it ends when the daemon has ended */
        ;
    close(ends[0]);
    return wait_for(child) == 0 && got == 1 ? status : HOST_BROKEN;
}

/* A second time in this process; the first time nobody reads it. */
static int run_again(void) {
    int terminal = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    fflush(stdout);
    dup2(null, STDOUT_FILENO);
    run_here();
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    close(null);
    return run_here();
}

static int run_limited(bool (*limit)(void)) {
    return limit() ? run_here() : HOST_BROKEN;
}
static int run_seccomp(void) {
    return run_limited(limit_seccomp);
}
static int run_killing(void) {
    return run_limited(limit_killing);
}
static int run_nproc(void) {
    return run_limited(limit_nproc);
}
static int run_secure(void) {
    return run_limited(limit_secure);
}
static int run_nofile(void) {
    call("snippet_load"); /* NSS opens files at its init */
    int status = run_limited(limit_nofile);
    limit_nofile_end();
    return status;
}

/* Before main: it has run already, in the early library. */
static int ran_early(void) {
    int *status = dlsym(RTLD_DEFAULT, "host_early_status");
    return status ? *status : HOST_BROKEN;
}

static pthread_barrier_t has_run, is_unloaded;

static void *outlives(void *status) {
    *(int *)status = run_here();
    pthread_barrier_wait(&has_run);
    pthread_barrier_wait(&is_unloaded);
    return NULL;
}

/* The cache came by dlopen and is closed again, with the snippets, while a thread that used it lives on; then it ends.
 */
static int run_unloaded(void) {
    pthread_t thread;
    int status = HOST_BROKEN;
    pthread_barrier_init(&has_run, NULL, 2);
    pthread_barrier_init(&is_unloaded, NULL, 2);
    if (pthread_create(&thread, NULL, outlives, &status) != 0)
        return HOST_BROKEN;
    pthread_barrier_wait(&has_run);
    if (!library || dlclose(snippets) != 0 || dlclose(library) != 0)
        status = HOST_BROKEN;
    pthread_barrier_wait(&is_unloaded);
    pthread_join(thread, NULL);
    return status;
}

static const struct setting settings[] = {
    {"here", run_here, RTLD_LOCAL},        {"deepbind", run_here, RTLD_LOCAL | RTLD_DEEPBIND},
    {"warm", run_warm, RTLD_LOCAL},        {"again", run_again, RTLD_LOCAL},
    {"fork", run_in_child, RTLD_LOCAL},    {"warm_fork", run_in_warm_child, RTLD_LOCAL},
    {"thread", run_in_thread, RTLD_LOCAL}, {"daemon", run_as_daemon, RTLD_LOCAL},
    {"early", ran_early, RTLD_LOCAL},      {"seccomp", run_seccomp, RTLD_LOCAL},
    {"killing", run_killing, RTLD_LOCAL},  {"nproc", run_nproc, RTLD_LOCAL},
    {"nofile", run_nofile, RTLD_LOCAL},    {"secure", run_secure, RTLD_LOCAL},
    {"unloaded", run_unloaded, RTLD_LOCAL}};

static int broken(const char *what) {
    fprintf(stderr, "snippet_host: %s\n", what ? what : "it is not there");
    return HOST_BROKEN;
}

int main(int argc, char **argv) {
    char symbol[128];
    if (argc < 3)
        return broken("SETTING NAME [SNIPPETS [LIBRARY]]");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (strcmp(settings[i].name, argv[1]) != 0)
            continue;
        library = argc > 4 ? dlopen(argv[4], RTLD_NOW | RTLD_GLOBAL) : NULL;
        if (argc > 4 && !library)
            return broken(dlerror());
        snippets = dlopen(argc > 3 ? argv[3] : NULL, RTLD_NOW | settings[i].load_flags);
        snprintf(symbol, sizeof symbol, "snippet_%s", argv[2]);
        snippet = snippets ? (int (*)(void))dlsym(snippets, symbol) : NULL;
        return snippet ? settings[i].run() : broken(dlerror());
    }
    return broken("no such setting");
}
