/* target.h - which processes a command is about: a PID, a NAME (comm, or what it runs) or the path of a SOCKET. */
#ifndef PK11CACHE_TARGET_H
#define PK11CACHE_TARGET_H

#include "process.h"

struct targets {
    struct process *items; /* each has its socket known; to be freed by targets_free */
    size_t count;
};

enum { WHY_SIZE = 1600 };

/* All that `given` names; NULL names every process with a socket. False, with the reason and the remedy in `why`, when
 * a name finds none; where NULL finds none, that is true, an empty list, and `why` says what there is. */
bool targets_find(const char *given, struct targets *targets, char why[WHY_SIZE]);

/* The one that `given` names, or the one there is. False after a complaint, which lists them when there are several. */
bool target_find_one(const char *given, struct process *target);

void targets_free(struct targets *targets);

#endif
