/* outcome.h - one call of the cache, one outcome: counted, offered to static probes, and its stack noted.
 *
 * The probes (pk11cache:hit, miss, bypass, evict) are there when sys/sdt.h was at build time; each is one no-op until
 * somebody attaches. Arguments: enum site_call, mechanism, operation; of evict the reason. */
#ifndef PK11CACHE_OUTCOME_H
#define PK11CACHE_OUTCOME_H

#include "stats/counters.h"
#include "stats/sites.h"

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define PROBE3(name, a, b, c) DTRACE_PROBE3(pk11cache, name, a, b, c)
#define PROBE1(name, a) DTRACE_PROBE1(pk11cache, name, a)
#endif
#endif
#ifndef PROBE3
#define PROBE3(name, a, b, c) ((void)0)
#define PROBE1(name, a) ((void)0)
#endif

/* Inside a lock is fine. */
#define OUTCOME_HIT(block, call, site, mechanism, operation)                                                           \
    do {                                                                                                               \
        COUNT(block, call##_hits);                                                                                     \
        PROBE3(hit, site, mechanism, operation);                                                                       \
    } while (0)

/* These unwind the stack: with no lock of ours held and the guard not set. */
#define OUTCOME_MISS(block, call, site, mechanism, operation)                                                          \
    do {                                                                                                               \
        COUNT(block, call##_misses);                                                                                   \
        PROBE3(miss, site, mechanism, operation);                                                                      \
        sites_note(site, SITE_MISS, mechanism, operation);                                                             \
    } while (0)

#define OUTCOME_BYPASS(block, call, site, mechanism, operation)                                                        \
    do {                                                                                                               \
        COUNT(block, call##_bypasses);                                                                                 \
        PROBE3(bypass, site, mechanism, operation);                                                                    \
        sites_note(site, SITE_BYPASS, mechanism, operation);                                                           \
    } while (0)

#endif
