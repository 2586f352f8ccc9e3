#include "stats/sample.h"
#include "preload/magazine.h"
#include "preload/options.h"
#include "stats/sites.h"

#include <time.h>

/* How many calls to look at the options again when nothing is sampled. */
enum { LOOK_AGAIN = 1024 };

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Calls to leave out: on average one in `every` is sampled. */
static uint32_t draw_distance(long every) {
    thread_self.draw = thread_self.draw * 1664525u + 1013904223u;
    uint64_t span = 2 * (uint64_t)every - 1;
    return (uint32_t)((thread_self.draw >> 4) * span >> 28);
}

/* *left is how many calls to leave out before the next sample; `elapsed` of them went by before this one. */
static bool is_due(uint32_t *left, long every, uint32_t elapsed, bool fresh) {
    if (!every) {
        *left = LOOK_AGAIN;
        return false;
    }
    if (fresh || *left > 2 * (uint64_t)every)
        *left = elapsed + draw_distance(every);
    bool due = *left <= elapsed;
    *left = due ? draw_distance(every) : *left - elapsed - 1;
    return due;
}

/* Latency and sites each have a distance; the thread counts down to the nearer. */
static bool next(bool *latency, bool *site) {
    struct thread *t = &thread_self;
    bool fresh = !t->draw;
    if (fresh)
        t->draw = ((uint32_t)now_ns() ^ (uint32_t)(uintptr_t)t) | 1;
    *latency = is_due(&t->latency_left, option(&options.sample), t->interval, fresh);
    *site = is_due(&t->sites_left, option(&options.sites), t->interval, fresh);
    uint32_t nearer = t->latency_left < t->sites_left ? t->latency_left : t->sites_left;
    t->interval = nearer < LOOK_AGAIN ? nearer : LOOK_AGAIN;
    t->countdown = (int32_t)t->interval;
    return *latency || *site;
}

bool sample_due_slow(void) {
    if (thread_self.guard) { /* inside a real call of ours: the next call of the program's is looked at */
        thread_self.countdown = 0;
        return false;
    }
    bool latency, site;
    next(&latency, &site);
    thread_self.due_latency = latency;
    thread_self.due_site = site;
    enum mode mode = root_mode();
    return (latency || site) && mode != MODE_INERT && mode != MODE_UNKNOWN;
}

static uint64_t hits_of(enum sampled_call call) {
    struct counters *c = magazine_counters();
    if (!c)
        return 0;
    return call == SAMPLED_best_slot ? c->best_slot_hits
           : call == SAMPLED_import  ? c->import_hits
           : call == SAMPLED_create  ? c->create_hits
                                     : 0;
}

struct sample sample_begin(enum sampled_call call) {
    struct sample s = {.call = call, .latency = thread_self.due_latency, .site = thread_self.due_site};
    if (s.site)
        s.hits = hits_of(call);
    if (s.latency)
        s.start = now_ns();
    return s;
}

void sample_end(const struct sample *s, unsigned long mechanism, unsigned long operation) {
    uint64_t end = s->latency ? now_ns() : 0;
    struct root *root = root_peek();
    if (s->latency && root)
        histogram_add(&root->latency.calls[s->call], end > s->start ? end - s->start : 0);
    if (s->site && hits_of(s->call) > s->hits)
        sites_note((enum site_call)s->call, SITE_HIT, mechanism, operation);
}
