/* child_inside.h - what the files of child.h share. */
#ifndef PK11CACHE_CHILD_INSIDE_H
#define PK11CACHE_CHILD_INSIDE_H

#include "child.h"

/* Of children that were started and not freed; false when there are too many. */
bool children_register(struct child *child);
void children_forget(const struct child *child);
bool children_known(pid_t pid);
bool children_alive_beside(const struct child *child);

/* In a new child: the signals as our caller had them. */
void children_give_signals_back(void);

/* Read output and signals, once, waiting for at most so many seconds. How many signals asked us to end so far. */
int children_turn(double seconds);

/* The living children of a process: their count, at most `room`. */
int children_of(pid_t pid, pid_t *pids, int room);

#endif
