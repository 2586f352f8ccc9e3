/* handle.h - calls with a handle that are not on the fast path: a real context in the same state answers them. */
#ifndef PK11CACHE_HANDLE_H
#define PK11CACHE_HANDLE_H

#include "hooks/hook.h"

/* Enter the handle's record with a real context in record->direct. NULL: the handle is stale (the error is set), or NSS
 * would not make the context (its error stands). */
struct record *handle_enter_direct(PK11Context *handle, bool *owner);

/* The body of a hook: pass a real context on; for a handle use the context behind it, named PASSED in `arguments`. */
#define PASSED direct
#define PASS_HANDLE(name, result, failure, arguments)                                                                  \
    PK11Context *direct = context;                                                                                     \
    if (likely(!record_is_handle(context)))                                                                            \
        return REAL(name) arguments;                                                                                   \
    bool owner;                                                                                                        \
    struct record *record = handle_enter_direct(context, &owner);                                                      \
    if (!record)                                                                                                       \
        return failure;                                                                                                \
    direct = record->direct;                                                                                           \
    guard_enter();                                                                                                     \
    result answer = real.name arguments;                                                                               \
    guard_leave();                                                                                                     \
    record_leave(record, owner);                                                                                       \
    return answer

#endif
