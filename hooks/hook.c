#include "hooks/hook.h"
#include "stats/outcome.h"

void hook_count_inactive(enum hook_call call, unsigned long mechanism, unsigned long operation) {
    enum mode mode = root_mode();
    if (thread_self.guard || mode == MODE_INERT || mode == MODE_UNKNOWN)
        return;
    struct counters *c = magazine_counters();
    struct root *root = mode == MODE_OFF ? root_get() : NULL;
    if (root)
        housekeeper_start(root); /* for the stats socket: the engine can be switched on there */
    if (mode == MODE_OFF)
        COUNT(c, bypass_off);
    else
        COUNT(c, bypass_down);
    switch (call) {
    case HOOK_BEST_SLOT:
        OUTCOME_BYPASS(c, best_slot, SITE_BEST_SLOT, mechanism, operation);
        break;
    case HOOK_IMPORT:
        OUTCOME_BYPASS(c, import, SITE_IMPORT, mechanism, operation);
        break;
    case HOOK_CREATE:
        OUTCOME_BYPASS(c, create, SITE_CREATE, mechanism, operation);
        break;
    }
}
