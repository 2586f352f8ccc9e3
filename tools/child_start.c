/* Starting a child: its group, streams and environment. */
#include "child.h"
#include "child_inside.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

double now_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void set_environment(const struct child_plan *plan) {
    if (plan->preload && *plan->preload)
        setenv("LD_PRELOAD", plan->preload, 1);
    else
        unsetenv("LD_PRELOAD");
    for (char *const *setting = plan->settings; setting && *setting; setting++)
        putenv(*setting);
}

static _Noreturn void become(const struct child_plan *plan, int output) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* if we are killed ourselves */
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    children_give_signals_back();
    set_environment(plan);
    execvp(plan->command[0], plan->command);
    int status = errno == ENOENT || errno == ENOTDIR ? 127 : 126; /* as shells have it */
    complain("%s: %s", plan->command[0], strerror(errno));
    _exit(status);
}

bool child_start(struct child *child, const struct child_plan *plan) {
    int ends[2];
    *child = (struct child){.output = -1, .text = calloc(1, 2 * CHILD_OUTPUT)};
    if (!child->text || pipe2(ends, O_CLOEXEC)) {
        complain("%s can't be started: %s", plan->command[0], strerror(errno));
        child_free(child);
        return false;
    }
    child->started = now_seconds();
    pid_t pid = children_register(child) ? fork() : -1;
    if (pid == 0)
        become(plan, ends[1]);
    close(ends[1]);
    child->output = ends[0];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (pid < 0) {
        complain("%s can't be started: %s", plan->command[0], strerror(errno));
        child_free(child);
        return false;
    }
    setpgid(pid, pid); /* here too: whoever comes first */
    child->pid = pid;
    return true;
}

void child_free(struct child *child) {
    children_forget(child);
    if (child->output >= 0)
        close(child->output);
    free(child->text);
    *child = (struct child){.output = -1};
}

const char *last_lines(const char *text, int lines) {
    const char *start = text + strlen(text);
    while (start > text && start[-1] == '\n')
        start--;
    while (start > text && (start[-1] != '\n' || --lines > 0))
        start--;
    return start;
}
