#include "bench_measure.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORT_FD = 3 };

/* Beside the command (a build folder), else where they are installed. */
static bool find(const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/../" PK11CACHE_LIBDIR "/workloads/%s", command_folder(), name);
    if (access(path, X_OK) == 0)
        return true;
    snprintf(path, PATH_MAX, "%s/workloads/%s", command_folder(), name);
    return access(path, X_OK) == 0;
}

bool measure_has(const char *name) {
    char path[PATH_MAX];
    return find(name, path);
}

/* The arms differ in the preload and the engine, and in nothing that the caller's environment holds. */
static void set_environment(const char *library, const char *engine) {
    static const char *const ours[] = {
#define OPTION(id, variable, kind, standard, range, when, help) variable,
#include "preload/options.def"
#undef OPTION
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        unsetenv(ours[i]);
    unsetenv("LD_PRELOAD");
    if (library)
        setenv("LD_PRELOAD", library, 1);
    if (engine)
        setenv("PK11CACHE_ENGINE", engine, 1);
}

static _Noreturn void exec_or_leave(char **arguments) {
    execv(arguments[0], arguments);
    complain("%s can't be run: %s", arguments[0], strerror(errno));
    _exit(126);
}

static _Noreturn void become_job(const struct job *job, const char *library, double duration) {
    char path[PATH_MAX], bytes[16], threads[16], seconds[32];
    bool yardstick = job->arm >= SOURCE_REUSE && job->arm < CRYPTOPP;
    bool preload = job->arm == PRELOAD || job->arm == PRELOAD_RESET;
    find(yardstick ? "yardstick" : job->sequence, path);
    snprintf(bytes, sizeof bytes, "%d", job->bytes);
    snprintf(threads, sizeof threads, "%d", job->threads);
    snprintf(seconds, sizeof seconds, "%g", duration);
    set_environment(preload ? library : NULL, job->arm == PRELOAD_RESET ? "reset" : NULL);
    char *op = job->decrypt ? "decrypt" : "encrypt", *arguments[16] = {path};
    int count = 1;
    if (yardstick)
        arguments[count++] = (char *)job->sequence;
    char *rest[] = {"--op", op, "--bytes", bytes, "--threads", threads, "--seconds", seconds, "--json"};
    memcpy(arguments + count, rest, sizeof rest);
    exec_or_leave(arguments);
}

/* All that the child writes into the pipe, and its exit status; -1 when that can't be had. */
static int collect(pid_t child, const int ends[2], char *text, size_t size) {
    size_t used = 0;
    ssize_t n;
    int status = -1;
    close(ends[1]);
    while (used + 1 < size && (n = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    return child < 0 || waitpid(child, &status, 0) < 0 ? -1 : status;
}

static bool read_result(const char *text, struct sample *sample) {
    json_t *root = json_loads(text, 0, NULL);
    bool fine = root && json_unpack(root, "{s:F,s:F}", "ns_per_op", &sample->ns, "cpu_ns_per_op", &sample->cpu_ns) == 0;
    json_decref(root);
    return fine && sample->ns > 0;
}

bool measure(const struct job *job, const char *library, double seconds) {
    int ends[2];
    char text[1024];
    if (pipe2(ends, O_CLOEXEC)) {
        complain("no pipe: %s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        become_job(job, library, seconds);
    }
    int status = collect(child, ends, text, sizeof text);
    if (status != 0 || !read_result(text, &job->run->samples[job->run->rounds])) {
        complain("%s (%s, %s, %d bytes, %d threads) failed", job->sequence, arm_names[job->arm],
                 job->decrypt ? "decrypt" : "encrypt", job->bytes, job->threads);
        return false;
    }
    job->run->rounds++;
    return true;
}

static _Noreturn void become_reporter(char *path, const char *library, int report) {
    if (report == REPORT_FD)
        fcntl(report, F_SETFD, 0);
    else
        dup2(report, REPORT_FD);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    set_environment(library, NULL);
    setenv("PK11CACHE_REPORT", "/dev/fd/3", 1);
    exec_or_leave((char *[]){path, "--ops", "10", NULL});
}

static const char *line_of(const char *text, const char *name) {
    const char *line = strstr(text, name);
    return line ? line + strlen(name) : "";
}

bool measure_acts(const char *library, char *version, size_t size) {
    char path[PATH_MAX], text[8192] = "";
    int ends[2];
    if (!find("hammer", path)) {
        complain("the workloads are not there: %s", path);
        return false;
    }
    if (pipe2(ends, O_CLOEXEC)) {
        complain("no pipe: %s", strerror(errno));
        return false;
    }
    pid_t child = fork();
    if (child == 0)
        become_reporter(path, library, ends[1]);
    int status = collect(child, ends, text, sizeof text);
    const char *nss = line_of(text, "\nnss ");
    snprintf(version, size, "%.*s", (int)strcspn(nss, "\n"), nss);
    if (status == 0 && strtoull(line_of(text, "\nhits "), NULL, 10) > 0)
        return true;
    complain("the library %s does not act in the hammer workload", library);
    return false;
}
