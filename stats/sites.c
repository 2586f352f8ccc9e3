#include "stats/sites.h"
#include "preload/libc.h"
#include "preload/cache.h"
#include "preload/options.h"
#include "preload/say.h"
#include "preload/secret.h"
#include "stats/names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DEPTH = 24, OURS = 8, SITES = 256, SLOTS_OF_SITES = 512, ARENA = 512 * 1024, RATE = 100, FRAME_TEXT = 400 };

struct site {
    uint64_t hash; /* of frames, mechanism and operation; never 0 */
    enum site_call call;
    unsigned long mechanism, operation;
    uint64_t counts[SITE_RESULTS], weights[SITE_RESULTS]; /* stacks; calls that they stand for */
    const char *frames;                                   /* lines in the arena */
};

struct sites {
    pthread_mutex_t lock; /* a leaf: nothing is called under it */
    unsigned count, arena_used;
    uint16_t slots[SLOTS_OF_SITES]; /* 1 + site, by hash */
    struct site sites[SITES];
    char arena[ARENA];
};

_Atomic bool sites_wanted;

static _Atomic(int (*)(void **, int)) unwind;
static enum { UNWIND_NOT_TRIED, UNWIND_LOADED, UNWIND_ABSENT } unwind_state; /* the helper thread's */

/* TSan crashes in the destructor that libunwind has for each thread: it runs after TSan's own. */
#ifdef __SANITIZE_THREAD__
enum { POSSIBLE = false };
#else
enum { POSSIBLE = true };
#endif

void sites_prepare(void) {
    struct root *root = root_peek();
    /* An unwinder makes system calls (libunwind asks whether memory is there): a sandbox could kill the program for it.
     */
    bool wanted = POSSIBLE && option(&options.stacks) == STACKS_YES && !root_seccomp_filter();
    if (wanted && unwind_state == UNWIND_NOT_TRIED) {
        void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
        void *function = library ? dlsym(library, "unw_backtrace") : NULL;
        unwind_state = function ? UNWIND_LOADED : UNWIND_ABSENT;
        atomic_store(&unwind, (int (*)(void **, int))function);
        if (!function && (options.sites.source != FROM_DEFAULT || options.stacks.source != FROM_DEFAULT))
            say("libunwind.so.8 is not installed: show sites stays empty");
    }
    if (root && wanted && !atomic_load(&root->sites)) {
        struct sites *made = root_pages(sizeof *made);
        if (made)
            pthread_mutex_init(&made->lock, NULL);
        atomic_store(&root->sites, made);
    }
    atomic_store(&sites_wanted, wanted);
}

static bool within_rate(struct sites_rate *rate) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    uint64_t window = atomic_load_explicit(&rate->window, memory_order_relaxed);
    if (window >> 32 != (uint32_t)now.tv_sec)
        atomic_compare_exchange_strong(&rate->window, &window, (uint64_t)(uint32_t)now.tv_sec << 32);
    if ((uint32_t)atomic_fetch_add(&rate->window, 1) < RATE)
        return true;
    atomic_fetch_add_explicit(&rate->skipped, 1, memory_order_relaxed);
    return false;
}

/* The frames of our own library are at the top of each stack. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static int own_frames(void *const *frames, int depth) {
    int i = 0;
    while (i < depth && (const char *)frames[i] >= __ehdr_start && (const char *)frames[i] < _end)
        i++;
    return i < depth ? i : 0;
}

/* "  object+0xoffset symbol": now, while what is on the stack can't be unloaded. A return address is looked up one byte
 * before, since it may be the first of the next function. */
static size_t describe(char *line, size_t size, void *frame) {
    Dl_info info;
    int n;
    if (dladdr((char *)frame - 1, &info) && info.dli_fname) {
        const char *name = strrchr(info.dli_fname, '/');
        n = snprintf(line, size, "  %s+0x%lx %s\n", name ? name + 1 : info.dli_fname,
                     (unsigned long)((char *)frame - (char *)info.dli_fbase), info.dli_sname ? info.dli_sname : "");
    } else {
        n = snprintf(line, size, "  ?+0x%lx\n", (unsigned long)(uintptr_t)frame);
    }
    if (n < 0)
        return 0;
    if ((size_t)n < size)
        return (size_t)n;
    line[size - 2] = '\n';
    return size - 1;
}

/* Inside the lock: the site of that hash, or where it is to go. */
static uint16_t *slot_of(struct sites *s, uint64_t hash) {
    unsigned i = (unsigned)(hash % SLOTS_OF_SITES);
    while (s->slots[i] && s->sites[s->slots[i] - 1].hash != hash)
        i = (i + 1) % SLOTS_OF_SITES;
    return &s->slots[i];
}

/* `weight`: how many calls this one stands for. */
static bool add_count(struct sites *s, uint64_t hash, enum site_result result, uint64_t weight) {
    pthread_mutex_lock(&s->lock);
    uint16_t slot = *slot_of(s, hash);
    if (slot) {
        s->sites[slot - 1].counts[result]++;
        s->sites[slot - 1].weights[result] += weight;
    }
    pthread_mutex_unlock(&s->lock);
    return slot != 0;
}

/* A new site, with its frames as text. False: no room. */
static bool add_site(struct sites *s, const struct site *fresh, const char *text, size_t length) {
    pthread_mutex_lock(&s->lock);
    uint16_t *slot = slot_of(s, fresh->hash);
    bool room = *slot || (s->count < SITES && s->arena_used + length + 1 <= ARENA);
    if (room && !*slot) {
        struct site *site = &s->sites[s->count++];
        *site = *fresh;
        site->frames = memcpy(s->arena + s->arena_used, text, length);
        s->arena_used += (unsigned)length + 1; /* the arena is zero: the text is ended */
        *slot = (uint16_t)s->count;
    }
    pthread_mutex_unlock(&s->lock);
    return room;
}

static bool describe_and_add(struct sites *s, const struct site *fresh, void *const *frames, int depth) {
    struct text text = {0};
    for (int i = 0; i < depth; i++) {
        char line[FRAME_TEXT];
        describe(line, sizeof line, frames[i]);
        text_add(&text, "%s", line);
    }
    bool added = text.data && add_site(s, fresh, text.data, text.used);
    text_free(&text);
    return added;
}

void sites_note_slow(enum site_call call, enum site_result result, unsigned long mechanism, unsigned long operation) {
    struct root *root = root_peek();
    struct sites *s = root ? atomic_load(&root->sites) : NULL;
    int (*backtrace)(void **, int) = atomic_load(&unwind);
    struct counters *c = magazine_counters();
    if (!s || !backtrace) {
        COUNT(c, stacks_lost);
        return;
    }
    struct sites_rate *rate = &root->sites_rate[result == SITE_HIT];
    if (!within_rate(rate)) {
        COUNT(c, stacks_skipped);
        return;
    }
    int saved = errno;
    void *frames[DEPTH + OURS];
    guard_enter(); /* an unwinder of the host's own could call anything */
    int depth = backtrace(frames, DEPTH + OURS);
    guard_leave();
    int ours = depth > 0 ? own_frames(frames, depth) : 0;
    depth = depth - ours < DEPTH ? depth - ours : DEPTH;
    uint64_t weight = 1 + atomic_exchange(&rate->skipped, 0);
    weight *= result == SITE_HIT ? (uint64_t)option(&options.sites) : 1;
    struct site fresh = {.call = call, .mechanism = mechanism, .operation = operation};
    if (depth > 0)
        fresh.hash = secret_hash(mechanism * 31 + operation, (unsigned char *)(frames + ours), (size_t)depth * 8) | 1;
    if (depth > 0 && (add_count(s, fresh.hash, result, weight) ||
                      (describe_and_add(s, &fresh, frames + ours, depth) && add_count(s, fresh.hash, result, weight))))
        COUNT(c, stacks_taken);
    else
        COUNT(c, stacks_lost);
    errno = saved;
}

static uint64_t total(const struct site *site) {
    return site->counts[SITE_HIT] + site->counts[SITE_MISS] + site->counts[SITE_BYPASS];
}

static void show_site(struct text *text, unsigned number, const struct site *site) {
    static const char *const calls[] = {"best_slot", "import", "create"};
    double hits = (double)site->weights[SITE_HIT];
    double others = (double)(site->weights[SITE_MISS] + site->weights[SITE_BYPASS]);
    text_add(text, "#%u %llu stacks: %s ", number, (unsigned long long)total(site), calls[site->call]);
    names_add_what(text, site->mechanism, site->operation);
    text_add(text, ", %llu misses, %llu bypasses", (unsigned long long)site->counts[SITE_MISS],
             (unsigned long long)site->counts[SITE_BYPASS]);
    if (option(&options.sites) || site->counts[SITE_HIT])
        text_add(text, ", %llu hits, hit share about %.1f %%", (unsigned long long)site->counts[SITE_HIT],
                 hits + others > 0 ? 100 * hits / (hits + others) : 0.0);
    text_add(text, "\n%s", site->frames);
}

/* The most frequent first. Selection, a copy at a time, so that the lock is held for a moment only. */
static void show_all(struct text *text, struct sites *s) {
    bool shown[SITES] = {false};
    for (unsigned number = 1;; number++) {
        struct site best = {0};
        unsigned at = 0;
        pthread_mutex_lock(&s->lock);
        for (unsigned i = 0; i < s->count; i++)
            if (!shown[i] && (!best.hash || total(&s->sites[i]) > total(&best))) {
                best = s->sites[i];
                at = i;
            }
        pthread_mutex_unlock(&s->lock);
        if (!best.hash)
            return;
        shown[at] = true;
        show_site(text, number, &best);
    }
}

void sites_show(struct text *text) {
    struct root *root = root_peek();
    struct sites *s = root ? atomic_load(&root->sites) : NULL;
    if (option(&options.stacks) == STACKS_NO)
        text_add(text, "no call stacks are taken: set stacks yes\n");
    else if (unwind_state == UNWIND_ABSENT)
        text_add(text, "no call stacks: libunwind.so.8 is not installed\n");
    else if (!s || !s->count)
        text_add(text, "no call stack was taken yet: misses and bypasses are rare%s\n",
                 option(&options.sites) ? "" : ", and hits are left out (set sites 1000)");
    else
        show_all(text, s);
}

void sites_reset(void) {
    struct root *root = root_peek();
    struct sites *s = root ? atomic_load(&root->sites) : NULL;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->count = s->arena_used = 0;
    memset(s->slots, 0, sizeof s->slots);
    memset(s->arena, 0, sizeof s->arena);
    pthread_mutex_unlock(&s->lock);
}
