/* hook.h - what every hook starts with. A hook is thin: recognise, decide, call, count. */
#ifndef PK11CACHE_HOOK_H
#define PK11CACHE_HOOK_H

#include "preload/cache.h"

#define HOOKED __attribute__((visibility("default")))

/* The prototypes of the functions we define are our own (hooks.def). */
#define HOOK(name, result, parameters) HOOKED result name parameters;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
#include "hooks/hooks.def"
#pragma GCC diagnostic pop
#undef HOOK

/* Call the real function, looked up first where this is the first instruction of ours that runs. */
#define REAL(name) (root_mode(), real.name)

/* Is this call for the cache? Not inside one of our own real calls, nor while NSS is down. */
static inline bool hook_active(void) {
    return likely(!thread_self.guard) && (likely(root_mode() == MODE_UP) || root_bring_up());
}

enum hook_call { HOOK_BEST_SLOT, HOOK_IMPORT, HOOK_CREATE };
/* Count a look-up that goes the real way because the cache is off or down; nothing inside a real call of ours. */
void hook_count_inactive(enum hook_call call);

#endif
