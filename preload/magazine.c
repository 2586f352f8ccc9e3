#include "preload/magazine.h"
#include "preload/libc.h"

#include <errno.h>

__thread struct thread thread_self;

static pthread_key_t exit_key;
static _Atomic int exit_key_state; /* 0 none, 1 being made, 2 ready, 3 can't be had */

/* Thread exit only moves pointers and calls neither NSS nor NSPR. Later calls on this thread pass through. */
static void thread_ends(void *arg) {
    struct magazine *m = arg;
    struct root *root = root_peek();
    thread_self.magazine = NULL;
    thread_self.ended = true;
    if (!root || m->root != root)
        return;
    atomic_store_explicit(&m->lock.busy, 0, memory_order_release);
    atomic_store_explicit(&m->orphan, true, memory_order_relaxed);
    pthread_mutex_lock(&root->lock);
    m->next_orphan = root->orphans;
    root->orphans = m;
    pthread_mutex_unlock(&root->lock);
}

static bool exit_key_ready(void) {
    int none = 0;
    if (atomic_compare_exchange_strong(&exit_key_state, &none, 1))
        atomic_store(&exit_key_state, pthread_key_create(&exit_key, thread_ends) == 0 ? 2 : 3);
    while (atomic_load(&exit_key_state) == 1)
        sched_yield();
    return atomic_load(&exit_key_state) == 2;
}

static struct magazine *take_orphan(struct root *root) {
    pthread_mutex_lock(&root->lock);
    struct magazine *m = root->orphans;
    if (m)
        root->orphans = m->next_orphan;
    pthread_mutex_unlock(&root->lock);
    if (m)
        atomic_store_explicit(&m->orphan, false, memory_order_relaxed);
    return m;
}

static struct magazine *make(struct root *root) {
    struct magazine *m = root_pages(sizeof *m);
    if (!m)
        return NULL;
    m->fork = root->fork;
    m->root = root;
    biased_lock_reset(&m->lock);
    struct magazine *first = atomic_load(&root->magazines);
    do
        m->next = first;
    while (!atomic_compare_exchange_weak(&root->magazines, &first, m));
    return m;
}

struct magazine *magazine_attach(enum magazine_refusal *why) {
    int saved = errno;
    struct root *root = thread_self.ended ? NULL : root_get();
    struct magazine *m = NULL;
    *why = thread_self.ended ? MAGAZINE_THREAD_END : MAGAZINE_MEMORY;
    if (root && exit_key_ready() && ((m = take_orphan(root)) || (m = make(root)))) {
        thread_self.magazine = m;
        *why = MAGAZINE_BUSY; /* if it can't be entered after all */
        /* Without the destructor the magazine is lost with the thread; it is still swept. */
        pthread_setspecific(exit_key, m);
    }
    errno = saved;
    return m;
}

struct magazine *magazine_first(void) {
    struct root *root = root_peek();
    return root ? atomic_load_explicit(&root->magazines, memory_order_acquire) : NULL;
}

void haul_record(struct haul *haul, struct record *record) {
    record->next = haul->records;
    haul->records = record;
}

void haul_records(struct haul *haul, struct record *list) {
    while (list) {
        struct record *next = list->next;
        haul_record(haul, list);
        list = next;
    }
}

static void haul_key(struct haul *haul, struct key *key, unsigned references) {
    unsigned i = haul->keys_count++;
    haul->keys[i].key = key;
    haul->keys[i].references = references;
    haul->keys[i].holds = 1;
}

void magazine_take_line(struct magazine *m, struct line *line, struct haul *haul) {
    for (unsigned kind = 0; kind < 3; kind++)
        haul_records(haul, line->idle[kind]);
    haul_key(haul, line->key, line->references);
    atomic_fetch_sub(&line->key->lines, 1);
    memset(line, 0, sizeof *line);
    atomic_fetch_sub_explicit(&m->lines_used, 1, memory_order_relaxed);
}

/* Four places for a hash; a newcomer takes an empty one, or the place of its turn. */
static void index_by_value(struct magazine *m, const struct line *line) {
    uint8_t *set = m->by_value[line->hash % VALUE_SETS];
    unsigned way = 0;
    while (way < WAYS && set[way] && m->lines[set[way] - 1].hash % VALUE_SETS == line->hash % VALUE_SETS &&
           m->lines[set[way] - 1].id)
        way++;
    set[way < WAYS ? way : m->victim++ % WAYS] = (uint8_t)(line - m->lines + 1);
}

struct line *magazine_put_line(struct magazine *m, struct key *key, unsigned references, struct haul *haul) {
    struct line *line = magazine_line(m, key->id);
    if (line && line->key == key) {
        line->references += references;
        line->used = true;
        haul_key(haul, key, 0);
        return line;
    }
    line = &m->lines[magazine_set(key->id) * WAYS];
    unsigned way = 0;
    while (way < WAYS && line[way].id && line[way].id != key->id)
        way++;
    line += way < WAYS ? way : m->victim++ % WAYS;
    if (line->id)
        magazine_take_line(m, line, haul);
    *line = (struct line){.id = key->id, .key = key, .hash = key->hash, .references = references, .used = true};
    atomic_fetch_add(&key->lines, 1);
    atomic_store(&key->idle_ticks, 0);
    atomic_fetch_add_explicit(&m->lines_used, 1, memory_order_relaxed);
    if (key->hash)
        index_by_value(m, line);
    return line;
}

void magazine_take_slots(struct magazine *m, struct haul *haul) {
    memcpy(haul->slots, m->slots, sizeof haul->slots);
    memset(m->slots, 0, sizeof m->slots);
    memset(m->mechanisms, 0, sizeof m->mechanisms);
}
