/* ab_life.h - one life of the server of `ab daemon`: start, ready, load, stop. */
#ifndef PK11CACHE_AB_LIFE_H
#define PK11CACHE_AB_LIFE_H

#include "ab_options.h"

struct ab_server {
    char *daemon, *ready, *load; /* for the shell */
    double timeout, grace;       /* s */
    int iops;                    /* the figure that has the IOPS, plus 1; 0: none has */
};

/* Live once, and add the runs of all depths (failed ones too) to the experiment. False when the experiment is to end:
 * it was interrupted, or a process could not be started. The server is gone in any case. */
bool ab_live(struct ab_experiment *experiment, struct ab_options *options, const struct ab_server *server, int pair,
             enum ab_arm arm);

#endif
