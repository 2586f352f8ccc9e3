/* show.h - what `show ...` answers on the stats socket, and the exit report. The helper thread, unless it says so. */
#ifndef PK11CACHE_SHOW_H
#define PK11CACHE_SHOW_H

#include "stats/snapshot.h"
#include "stats/text.h"

enum { SHOW_SCHEMA = 1 }; /* of show stat json: grows when a name changes its meaning or goes */

void show_info(struct text *text, const struct snapshot *snapshot);
void show_stat(struct text *text, const struct snapshot *snapshot);
void show_stat_json(struct text *text, const struct snapshot *snapshot);
void show_metrics(struct text *text, const struct snapshot *snapshot);
void show_keys(struct text *text);
void show_config(struct text *text);

/* "name value" lines: pid, program, versions and every counter and gauge. Any thread; calls neither NSS nor malloc. */
void show_report(struct text *text, const struct snapshot *snapshot);

#endif
