#include "hooks/handle.h"
#include "preload/verify.h"

struct record *handle_enter_direct(PK11Context *handle, bool *owner) {
    struct record *record = record_enter(handle, owner);
    if (!record) {
        real.PR_SetError(SEC_ERROR_INVALID_ARGS, 0);
        return NULL;
    }
    verify_end(record); /* from here on NSS answers */
    record->dirty = true;
    if (record->direct || engine_materialise(record))
        return record;
    record_leave(record, *owner);
    return NULL;
}
