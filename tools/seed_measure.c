#include "command.h"
#include "report_file.h"
#include "seed.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const seed_arm_names[SEED_ARMS] = {"none", "hammer-bare", "hammer-preload", "infernalis-bare",
                                               "infernalis-preload"};
static const char *const signing_of[SEED_ARMS] = {"none", "hammer", "hammer", "infernalis", "infernalis"};

enum { SERVER_CPU, LOAD_CPU };

static struct running {
    pid_t pid;
    int output;
} servers[SEED_ARMS];

static bool preloaded(enum seed_arm arm) {
    return arm == HAMMER_PRELOAD || arm == INFERNALIS_PRELOAD;
}

/* The n-th processor that this process may use. */
static void pin(int n) {
    cpu_set_t may, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof may, &may) || CPU_COUNT(&may) < 2)
        return;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && n-- == 0)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* Nothing that the caller's environment holds makes a difference between the arms. */
static void clean_environment(void) {
    extern char **environ;
    unsetenv("LD_PRELOAD");
    for (char **entry = environ; *entry;) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry);
        if (strncmp(name, "PK11CACHE_", 10) == 0 && unsetenv(name) == 0)
            entry = environ;
        else
            entry++;
    }
}

/* In the child: its output into the pipe; end with the parent. */
static void become_child(const struct seed *seed, int cpu, int output) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(output, STDOUT_FILENO);
    clean_environment();
    if (seed->pinned)
        pin(cpu);
}

static _Noreturn void exec_workload(const char *name, char **arguments) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/workloads/%s", command_folder(), name);
    if (access(path, X_OK))
        snprintf(path, sizeof path, "%s/../" PK11CACHE_LIBDIR "/workloads/%s", command_folder(), name);
    arguments[0] = (char *)name;
    execv(path, arguments);
    complain("%s can't be run: %s", path, strerror(errno));
    _exit(126);
}

static _Noreturn void become_server(const struct seed *seed, const char *folder, enum seed_arm arm, int output) {
    char address[PATH_MAX], report[PATH_MAX];
    snprintf(address, sizeof address, "%s/%s", folder, seed_arm_names[arm]);
    snprintf(report, sizeof report, "%s/%s.report", folder, seed_arm_names[arm]);
    become_child(seed, SERVER_CPU, output);
    if (preloaded(arm)) {
        setenv("LD_PRELOAD", seed->library, 1);
        setenv("PK11CACHE_REPORT", report, 1);
    }
    exec_workload("object-server", (char *[]){"", "--listen", address, "--signing", (char *)signing_of[arm], NULL});
}

static _Noreturn void become_load(const struct seed *seed, const char *folder, enum seed_arm arm, int depth,
                                  int output) {
    char address[PATH_MAX], number[16], seconds[32], rate[32];
    const char *client = seed->same_client || arm == ARM_NONE ? signing_of[arm] : "openssl";
    snprintf(address, sizeof address, "%s/%s", folder, seed_arm_names[arm]);
    snprintf(number, sizeof number, "%d", depth);
    snprintf(seconds, sizeof seconds, "%g", seed->seconds);
    snprintf(rate, sizeof rate, "%g", seed->rate);
    become_child(seed, LOAD_CPU, output);
    exec_workload("object-load", (char *[]){"", "--connect", address, "--signing", (char *)client, "--depth", number,
                                            "--seconds", seconds, "--mix", (char *)seed->mix, "--json",
                                            seed->rate > 0 ? "--rate" : NULL, rate, NULL});
}

/* One line of a child's output, without its end. */
static bool read_line(int from, char *text, size_t size) {
    size_t used = 0;
    while (used + 1 < size && read(from, text + used, 1) == 1 && text[used] != '\n')
        used++;
    bool whole = text[used] == '\n';
    text[used] = 0;
    return whole;
}

static bool start_one(const struct seed *seed, const char *folder, enum seed_arm arm) {
    char line[512] = "";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        complain("no pipe: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_server(seed, folder, arm, ends[1]);
    close(ends[1]);
    servers[arm] = (struct running){child, ends[0]};
    if (child > 0 && read_line(ends[0], line, sizeof line) && strstr(line, "listening on"))
        return true;
    complain("the server %s does not start", seed_arm_names[arm]);
    return false;
}

bool seed_start(struct seed *seed, const char *folder) {
    bool fine = true;
    for (enum seed_arm arm = ARM_NONE; fine && arm < SEED_ARMS; arm++)
        fine = start_one(seed, folder, arm);
    return fine;
}

static bool see_that_it_acted(struct seed *seed, const char *folder, enum seed_arm arm, pid_t pid) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s.report", folder, seed_arm_names[arm]);
    struct report report = report_read(name, 0, pid);
    double share = report.own.calls ? (double)report.own.hits / (double)report.own.calls : 0;
    unlink(name);
    seed->hit_share = share < seed->hit_share ? share : seed->hit_share;
    memcpy(seed->nss_version, report.nss_version, sizeof seed->nss_version);
    if (share < 0.9)
        complain("the cache served only %.1f %% of the calls of %s", 100 * share, seed_arm_names[arm]);
    return share >= 0.9;
}

static bool stop_one(struct seed *seed, const char *folder, enum seed_arm arm) {
    struct running server = servers[arm];
    int status = -1;
    servers[arm] = (struct running){0};
    if (server.pid <= 0)
        return true;
    kill(server.pid, SIGTERM);
    while (waitpid(server.pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(server.output);
    if (status)
        complain("the server %s did not end well", seed_arm_names[arm]);
    return status == 0 && (!preloaded(arm) || see_that_it_acted(seed, folder, arm, server.pid));
}

bool seed_stop(struct seed *seed, const char *folder) {
    bool fine = true;
    for (enum seed_arm arm = ARM_NONE; arm < SEED_ARMS; arm++)
        fine = stop_one(seed, folder, arm) && fine;
    return fine;
}

static bool add_sample(const char *text, struct seed_sample *sample) {
    double cpu, iops, latency;
    json_t *root = json_loads(text, 0, NULL);
    bool fine = root && json_unpack(root, "{s:F,s:{s:F},s:{s:F}}", "iops", &iops, "latency_us", "mean", &latency,
                                    "server", "cpu_us_per_request", &cpu) == 0;
    json_decref(root);
    if (!fine)
        return false;
    sample->figure[FIGURE_CPU] += cpu / 2;
    sample->figure[FIGURE_IOPS] += iops / 2;
    sample->figure[FIGURE_LATENCY] += latency / 2;
    return cpu > 0 && iops > 0;
}

bool seed_measure(const struct seed *seed, const char *folder, enum seed_arm arm, int depth,
                  struct seed_sample *sample) {
    char line[2048] = "";
    int ends[2], status = -1;
    if (pipe2(ends, O_CLOEXEC)) {
        complain("no pipe: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_load(seed, folder, arm, depth, ends[1]);
    close(ends[1]);
    bool read_some = child > 0 && read_line(ends[0], line, sizeof line);
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (read_some && status == 0 && add_sample(line, sample))
        return true;
    complain("the load on %s at depth %d failed", seed_arm_names[arm], depth);
    return false;
}
