/* Ending a child with all its descendants. Those whose parent is gone come to us (we are their subreaper), so that in
 * the end each of them is a child of ours, whatever session or group it made. */
#include "child_inside.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ORPHANS_MAX = 256 };

int children_of(pid_t pid, pid_t *pids, int room) {
    char path[300];
    int count = 0, one;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, task->d_name);
        FILE *list = fopen(path, "re");
        while (list && count < room && fscanf(list, "%d", &one) == 1)
            pids[count++] = one;
        if (list)
            fclose(list);
    }
    if (tasks)
        closedir(tasks);
    return count;
}

static double cpu_of(pid_t pid) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

double child_cpu(pid_t pid) {
    pid_t below[64];
    double sum = cpu_of(pid);
    int count = children_of(pid, below, 64);
    for (int i = 0; i < count; i++)
        sum += child_cpu(below[i]);
    return sum;
}

/* Children of ours that nobody registered. While another child lives they may be its own, and are left alone. */
static int orphans(const struct child *child, pid_t *pids) {
    if (children_alive_beside(child))
        return 0;
    pid_t all[ORPHANS_MAX];
    int count = children_of(getpid(), all, ORPHANS_MAX), found = 0;
    for (int i = 0; i < count; i++)
        if (!children_known(all[i]))
            pids[found++] = all[i];
    return found;
}

/* One SIGTERM for each: a second one means "at once" to many daemons. The child's group had it already. */
struct told {
    pid_t group, pids[ORPHANS_MAX];
    int count;
};

static void tell(struct told *told, pid_t pid) {
    if (told->group && getpgid(pid) == told->group)
        return;
    for (int i = 0; i < told->count; i++)
        if (told->pids[i] == pid)
            return;
    if (told->count == ORPHANS_MAX)
        return;
    told->pids[told->count++] = pid;
    kill(pid, SIGTERM);
}

/* True when nothing is left. `told` is NULL when it is time to kill. */
static bool press(struct child *child, struct told *told) {
    pid_t left[ORPHANS_MAX];
    int count = orphans(child, left);
    for (int i = 0; i < count; i++) {
        if (told)
            tell(told, left[i]);
        else
            kill(left[i], SIGKILL);
    }
    if (!told && !child->ended)
        kill(-child->pid, SIGKILL);
    return child->ended && count == 0;
}

bool child_stop(struct child *child, double grace) {
    struct told told = {0};
    if (!child->pid)
        return true;
    int interruptions = children_turn(0);
    if (!child->ended) { /* not reaped: the group's number is still its own */
        told.group = child->pid;
        kill(-child->pid, SIGTERM);
    }
    for (double until = now_seconds() + grace; !press(child, &told);) {
        double left = until - now_seconds();
        if (left <= 0 || children_turn(fmin(left, 0.02)) > interruptions)
            break;
    }
    if (press(child, &told))
        return true;
    for (double until = now_seconds() + 5; !press(child, NULL) && now_seconds() < until;)
        children_turn(0.01);
    return false;
}
