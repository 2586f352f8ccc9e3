/* sites.h - who builds contexts: the call stacks of misses, bypasses and some hits, counted by stack.
 *
 * Stacks are taken by libunwind's unw_backtrace. It is loaded by the helper thread, so that no thread of the program
 * ever waits in dlopen for us; until it is there, and where it is not installed (said once), nothing is taken. A stack
 * is unwound on the calling thread with no lock of ours held, at most RATE a second (of hits, and of the others); what
 * is left out counts with the next that is taken. */
#ifndef PK11CACHE_SITES_H
#define PK11CACHE_SITES_H

#include "stats/text.h"

#include <stdbool.h>

enum site_call { SITE_BEST_SLOT, SITE_IMPORT, SITE_CREATE, SITE_CALLS };
enum site_result { SITE_HIT, SITE_MISS, SITE_BYPASS, SITE_RESULTS };

/* Note the stack of the current call. Any thread, no lock of ours held, the guard not set. `mechanism`, `operation`:
 * what it asked for. */
void sites_note_slow(enum site_call call, enum site_result result, unsigned long mechanism, unsigned long operation);

extern _Atomic bool sites_wanted;

static inline void sites_note(enum site_call call, enum site_result result, unsigned long mechanism,
                              unsigned long operation) {
    if (sites_wanted)
        sites_note_slow(call, result, mechanism, operation);
}

/* The helper thread: load libunwind when stacks are wanted. */
void sites_prepare(void);

/* `show sites`, and forget them all for `reset`. The helper thread. */
void sites_show(struct text *text);
void sites_reset(void);

#endif
