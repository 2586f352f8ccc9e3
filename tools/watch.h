/* watch.h - looking at processes again and again: those that come and go, and what each did since the last look. */
#ifndef PK11CACHE_WATCH_H
#define PK11CACHE_WATCH_H

#include "socket.h"
#include "target.h"
#include "view.h"

struct watched {
    struct process process; /* the pid is that of the peer when only a socket was named */
    bool seen;              /* it answered at least once: `now` and `rates` are what it said last */
    struct view before, now;
    struct view_rates rates; /* since the look before, or since its start at the first one */
    char *json;              /* the last answer; NULL when the last question was not answered */
    char problem[WHY_SIZE];  /* why the last question was not answered, or empty */
};

struct watch {
    const char *given; /* as for targets_find */
    struct watched *items;
    size_t count;
    char why[WHY_SIZE]; /* why there is none */
};

/* Find the processes, and ask them all; `milliseconds` is for all answers. False when `given` names none (any more), or
 * without memory: `why` says so. A process that ended meanwhile is left out. */
bool watch_look(struct watch *watch, int milliseconds);

void watch_free(struct watch *watch);

#endif
