#include "hooks/hook.h"

void hook_count_inactive(enum hook_call call) {
    enum mode mode = root_mode();
    if (thread_self.guard || mode == MODE_INERT || mode == MODE_UNKNOWN)
        return;
    struct counters *c = magazine_counters();
    switch (call) {
    case HOOK_BEST_SLOT:
        COUNT(c, best_slot_calls);
        COUNT(c, best_slot_bypasses);
        break;
    case HOOK_IMPORT:
        COUNT(c, import_calls);
        COUNT(c, import_bypasses);
        break;
    case HOOK_CREATE:
        COUNT(c, create_calls);
        COUNT(c, create_bypasses);
        break;
    }
    if (mode == MODE_OFF)
        COUNT(c, bypass_off);
    else
        COUNT(c, bypass_down);
}
