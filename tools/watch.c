#include "watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(struct watched *w) {
    view_free(&w->before);
    view_free(&w->now);
    free(w->json);
}

static struct watched *find(const struct watch *watch, const struct process *process) {
    for (size_t i = 0; i < watch->count; i++) {
        struct watched *w = &watch->items[i];
        if ((process->by_path || w->process.pid == process->pid) && strcmp(w->process.socket, process->socket) == 0)
            return w;
    }
    return NULL;
}

/* Take over what is known of those that are still there. */
static bool update_list(struct watch *watch, const struct targets *targets) {
    struct watched *items = calloc(targets->count + 1, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < targets->count; i++) {
        struct watched *known = find(watch, &targets->items[i]);
        if (known) {
            items[i] = *known;
            *known = (struct watched){0};
        } else {
            items[i].process = targets->items[i];
        }
    }
    for (size_t i = 0; i < watch->count; i++)
        forget(&watch->items[i]);
    free(watch->items);
    watch->items = items;
    watch->count = targets->count;
    return true;
}

/* The view changes places: what was now is before. */
static void take_view(struct watched *w, struct view *view) {
    view_free(&w->before);
    w->before = w->now;
    w->now = *view;
    w->rates = view_between(w->seen ? &w->before : NULL, &w->now);
    w->seen = true;
}

static void take_answer(struct watched *w, struct ask *ask) {
    struct view view;
    char problem[256];
    free(w->json);
    w->json = NULL;
    snprintf(w->problem, sizeof w->problem, "%s", ask->problem);
    if (!ask->answer)
        return;
    if (w->process.by_path)
        w->process.pid = ask->peer;
    if (!view_parse(ask->answer, &view, problem, sizeof problem)) {
        snprintf(w->problem, sizeof w->problem, "socket %s: %s", w->process.socket, problem);
        return;
    }
    take_view(w, &view);
    w->json = ask->answer;
    ask->answer = NULL;
}

/* A process that ended between being found and being asked was never there. */
static void leave_out_ended(struct watch *watch) {
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        struct watched *w = &watch->items[i];
        if (*w->problem && w->process.pid && process_look(w->process.pid).state == PROCESS_GONE)
            forget(w);
        else if (kept++ != i)
            watch->items[kept - 1] = *w;
    }
    watch->count = kept;
}

static bool ask_all(struct watch *watch, int milliseconds) {
    struct ask *asks = calloc(watch->count + 1, sizeof *asks);
    if (!asks)
        return false;
    for (size_t i = 0; i < watch->count; i++)
        asks[i].process = &watch->items[i].process;
    socket_ask(asks, watch->count, "show stat json", milliseconds);
    for (size_t i = 0; i < watch->count; i++) {
        take_answer(&watch->items[i], &asks[i]);
        ask_free(&asks[i]);
    }
    free(asks);
    return true;
}

bool watch_look(struct watch *watch, int milliseconds) {
    struct targets targets;
    bool fine = targets_find(watch->given, &targets, watch->why);
    bool done = update_list(watch, &targets) && ask_all(watch, milliseconds);
    if (!done)
        snprintf(watch->why, sizeof watch->why, "no memory");
    targets_free(&targets);
    leave_out_ended(watch);
    return fine && done;
}

void watch_free(struct watch *watch) {
    for (size_t i = 0; i < watch->count; i++)
        forget(&watch->items[i]);
    free(watch->items);
    *watch = (struct watch){0};
}
