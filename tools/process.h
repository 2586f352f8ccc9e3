/* process.h - what /proc says of a process: is the library in it, and where is its stats socket?
 *
 * The library's helper thread has a table of descriptors of its own, with nothing but the socket in it; so the socket
 * is the one that listens in the table of the thread called "pk11cache", whatever the path is. */
#ifndef PK11CACHE_PROCESS_H
#define PK11CACHE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum process_state {
    PROCESS_GONE,      /* no such process, or a zombie */
    PROCESS_HIDDEN,    /* /proc does not let us look */
    PROCESS_BARE,      /* the library is not in it */
    PROCESS_QUIET,     /* the library is, but not its helper thread: no call was cached yet */
    PROCESS_NO_SOCKET, /* the helper is there without a socket */
    PROCESS_SOCKET,    /* the socket is known */
};

struct process {
    enum process_state state;
    pid_t pid; /* 0: not known */
    uid_t uid;
    bool filtered;     /* under a seccomp filter */
    bool by_path;      /* `socket` is a path as we see it: it was named, and is not of what /proc says */
    char name[64];     /* the basename of what it runs, else `comm` */
    char comm[16];     /* as ps shows it */
    char socket[1024]; /* a path as that process sees it: below /proc/PID/root */
};

/* Look at one process. A thread's number stands for its process. */
struct process process_look(pid_t pid);

/* Every process but this one that `wanted` (NULL: all) is the name of, in the order of their numbers. To be freed;
 * NULL without memory or /proc. */
struct process *process_look_at_all(const char *wanted, size_t *count);

bool process_is_called(const struct process *process, const char *name);

/* Why there is nothing to ask, and what to do: a sentence with the pid and the name. */
void process_explain(const struct process *process, char *text, size_t size);

/* Is it stopped by a signal or a debugger? */
bool process_is_stopped(pid_t pid);

/* A user's name, or the number. Valid until the next call. */
const char *process_user(uid_t uid);

#endif
