/* hook.h - what every hook starts with. A hook is thin: recognise, decide, call, count. */
#ifndef PK11CACHE_HOOK_H
#define PK11CACHE_HOOK_H

#include "preload/cache.h"
#include "hooks/experiment.h"
#include "stats/experiment.h"

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

/* The hooks' bodies, for hooks/experiment.c too. Those of a context take a handle only. */
PK11SlotInfo *hook_best_slot(CK_MECHANISM_TYPE type, void *wincx);
PK11SymKey *hook_import(PK11SlotInfo *slot, CK_MECHANISM_TYPE type, PK11Origin origin, CK_ATTRIBUTE_TYPE operation,
                        SECItem *key, void *wincx);
PK11Context *hook_create(CK_MECHANISM_TYPE type, CK_ATTRIBUTE_TYPE operation, PK11SymKey *key, const SECItem *param);
PK11Context *hook_create_digest(SECOidTag digest);
void hook_free_key(PK11SymKey *key);
SECStatus hook_cipher_op(PK11Context *context, unsigned char *out, int *outlen, int maxout, const unsigned char *in,
                         int inlen);
SECStatus hook_digest_op(PK11Context *context, const unsigned char *in, unsigned inlen);
SECStatus hook_final(PK11Context *context, unsigned char *out, unsigned *outlen, unsigned maxout);

/* A hook whose calls are sampled (stats/sample.h): `body` is called either way, around it a sample when one is due. The
 * sampled way is kept out of line. */
#define SAMPLED_HOOK(id, name, result, parameters, body, arguments, mechanism, operation)                              \
    static __attribute__((noinline, cold)) result sampled_##id parameters {                                            \
        struct sample sample = sample_begin(SAMPLED_##id);                                                             \
        result answer = body arguments;                                                                                \
        sample_end(&sample, mechanism, operation);                                                                     \
        return answer;                                                                                                 \
    }                                                                                                                  \
    HOOKED result name parameters {                                                                                    \
        if (experiment_running())                                                                                      \
            return experiment_##id##_hook arguments;                                                                   \
        if (sample_due())                                                                                              \
            return sampled_##id arguments;                                                                             \
        return body arguments;                                                                                         \
    }
#define SAMPLED_HOOK_VOID(id, name, parameters, body, arguments)                                                       \
    static __attribute__((noinline, cold)) void sampled_##id parameters {                                              \
        struct sample sample = sample_begin(SAMPLED_##id);                                                             \
        body arguments;                                                                                                \
        sample_end(&sample, 0, 0);                                                                                     \
    }                                                                                                                  \
    HOOKED void name parameters {                                                                                      \
        if (experiment_running())                                                                                      \
            experiment_##id##_hook arguments;                                                                          \
        else if (sample_due())                                                                                         \
            sampled_##id arguments;                                                                                    \
        else                                                                                                           \
            body arguments;                                                                                            \
    }

enum hook_call { HOOK_BEST_SLOT, HOOK_IMPORT, HOOK_CREATE };
/* Count a look-up that goes the real way because the cache is off or down; nothing inside a real call of ours.
 * `mechanism`, `operation`: what it asked for. */
void hook_count_inactive(enum hook_call call, unsigned long mechanism, unsigned long operation);

#endif
