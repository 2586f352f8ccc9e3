/* show_experiment.h - `show ab [json]`, and the parsing of `ab`. The helper thread. */
#ifndef PK11CACHE_SHOW_EXPERIMENT_H
#define PK11CACHE_SHOW_EXPERIMENT_H

#include "stats/text.h"

void show_experiment(struct text *text);
void show_experiment_json(struct text *text);

#endif
