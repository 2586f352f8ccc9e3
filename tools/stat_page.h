/* stat_page.h - all that one process says, for a person. */
#ifndef PK11CACHE_STAT_PAGE_H
#define PK11CACHE_STAT_PAGE_H

#include "watch.h"

/* Print it; `all`: the counters that are 0 too. False after a complaint, when the process does not answer any more. */
bool stat_page(const struct watched *watched, bool all);

#endif
