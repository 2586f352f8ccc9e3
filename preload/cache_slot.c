/* The best slot, by mechanism. */
#include "preload/cache.h"
#include "preload/mutation.h"
#include "stats/outcome.h"

bool cache_token(PK11SlotInfo *slot) {
    return real.PK11_IsInternal(slot) && !real.PK11_NeedLogin(slot);
}

/* A removable token that is there now and lacks the mechanism; a swap of tokens changes the slot's series, and is
 * announced by the functions that invalidate.c hooks. */
static bool absent_from(PK11SlotInfo *slot, CK_MECHANISM_TYPE mechanism) {
    return real.PK11_IsPresent(slot) && !real.PK11_DoesMechanism(slot, mechanism);
}

/* Bare NSS walks all tokens, so that inserting a card can change the answer. A slot's answer stands only if every other
 * slot is permanent, or there now and without the mechanism. */
static bool answer_stands(PK11SlotInfo *best, CK_MECHANISM_TYPE mechanism) {
    if (!cache_token(best))
        return false;
    SECMODListLock *lock = real.SECMOD_GetDefaultModuleListLock();
    if (!lock)
        return false;
    bool stands = true;
    real.SECMOD_GetReadLock(lock);
    for (SECMODModuleList *m = real.SECMOD_GetDefaultModuleList(); m; m = m->next)
        for (int i = 0; i < m->module->slotCount; i++) {
            PK11SlotInfo *slot = m->module->slots[i];
            if (slot && slot != best && real.PK11_IsRemovable(slot) && !absent_from(slot, mechanism))
                stands = false;
        }
    real.SECMOD_ReleaseReadLock(lock);
    return stands;
}

static unsigned mechanism_index(CK_MECHANISM_TYPE mechanism) {
    return (unsigned)(((uint64_t)mechanism * UINT64_C(0x9e3779b97f4a7c15)) >> 60);
}

/* Inside the lock: a reference to the cached slot, or NULL. */
static PK11SlotInfo *take(struct magazine *m, CK_MECHANISM_TYPE mechanism, bool *stale) {
    unsigned i = mechanism_index(mechanism);
    struct slot_line *line = m->mechanisms[i].slot;
    if (!line || m->mechanisms[i].type != mechanism ||
        m->slot_epoch != atomic_load_explicit(&process.slot_epoch, memory_order_acquire))
        return NULL;
    if (real.PK11_GetSlotSeries(line->slot) != line->series) {
        *stale = true;
        return NULL;
    }
    if (line->references > 1)
        line->references--;
    else
        real.PK11_ReferenceSlot(line->slot);
    return line->slot;
}

static struct slot_line *line_for(struct magazine *m, PK11SlotInfo *slot) {
    struct slot_line *free_line = NULL;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (m->slots[i].slot == slot)
            return &m->slots[i];
        if (!m->slots[i].slot && !free_line)
            free_line = &m->slots[i];
    }
    return free_line;
}

/* Keep the answer, with a reference of our own. */
static void keep(PK11SlotInfo *slot, CK_MECHANISM_TYPE mechanism, unsigned epoch) {
    struct haul haul = {0};
    struct entered in = magazine_enter();
    if (!in.magazine)
        return;
    struct magazine *m = in.magazine;
    if (m->slot_epoch != epoch)
        magazine_take_slots(m, &haul);
    m->slot_epoch = epoch;
    struct slot_line *line = line_for(m, slot);
    if (line) {
        if (!line->slot)
            *line = (struct slot_line){slot, real.PK11_GetSlotSeries(slot), 0};
        real.PK11_ReferenceSlot(slot);
        line->references++;
        m->mechanisms[mechanism_index(mechanism)].type = mechanism;
        m->mechanisms[mechanism_index(mechanism)].slot = line;
    }
    magazine_leave(in);
    cache_dispose(m->root, &haul, REASON_FLUSH);
}

static PK11SlotInfo *ask(CK_MECHANISM_TYPE mechanism, void *wincx, bool *stands) {
    guard_enter();
    PK11SlotInfo *slot = real.PK11_GetBestSlot(mechanism, wincx);
    struct nss_error error = nss_error_get();
    *stands = slot && answer_stands(slot, mechanism);
    nss_error_set(error);
    guard_leave();
    return slot;
}

PK11SlotInfo *cache_best_slot(CK_MECHANISM_TYPE mechanism, void *wincx) {
    bool stale = false, stands;
    struct entered in = magazine_enter();
    if (likely(in.magazine)) {
        PK11SlotInfo *slot = take(in.magazine, mechanism, &stale);
        if (likely(slot)) {
            OUTCOME_HIT(&in.magazine->counters, best_slot, SITE_BEST_SLOT, mechanism, 0);
            magazine_leave(in);
            if (!MUTATED(MUTATION_SLOT_ERROR))
                real.PR_SetError(0, 0); /* as pk11slot.c, PK11_GetBestSlotMultiple */
            return slot;
        }
        magazine_leave(in);
    }
    if (stale)
        cache_stale();
    struct counters *c = magazine_counters();
    unsigned epoch = atomic_load(&process.slot_epoch);
    PK11SlotInfo *slot = ask(mechanism, wincx, &stands);
    if (in.magazine && stands) {
        keep(slot, mechanism, epoch);
        OUTCOME_MISS(c, best_slot, SITE_BEST_SLOT, mechanism, 0);
        return slot;
    }
    OUTCOME_BYPASS(c, best_slot, SITE_BEST_SLOT, mechanism, 0);
    if (!in.magazine)
        cache_count_refusal(c, in.why);
    else
        COUNT(c, bypass_token);
    return slot;
}

bool cache_take_slot(PK11SlotInfo *slot) {
    struct entered in = magazine_enter();
    if (!in.magazine)
        return false;
    bool taken = false;
    for (unsigned i = 0; i < SLOTS && !taken; i++) {
        struct slot_line *line = &in.magazine->slots[i];
        if (line->slot == slot && line->references < CREDITS_MAX) {
            line->references++;
            taken = true;
        }
    }
    magazine_leave(in);
    return taken;
}
