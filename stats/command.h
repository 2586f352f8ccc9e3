/* command.h - the commands of the stats socket. */
#ifndef PK11CACHE_COMMAND_H
#define PK11CACHE_COMMAND_H

#include "stats/text.h"

enum command_wish { COMMAND_CLOSE, COMMAND_STAY, COMMAND_QUIT };

/* Run one line (without its end; it is cut up on the way): commands with ";" between, the answers one after the other.
 * What is unknown, malformed or switched off gets one line "error: ..." that says what there is. STAY: it had `prompt`
 * in it; QUIT: `quit`. The helper thread only. */
enum command_wish command_run(struct text *answer, char *line);

#endif
