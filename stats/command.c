#include "stats/command.h"
#include "preload/cache.h"
#include "preload/options.h"
#include "stats/experiment.h"
#include "stats/show.h"
#include "stats/show_experiment.h"
#include "stats/sites.h"

#include <string.h>
#include <strings.h>

enum { WORDS = 10, COMMANDS_A_LINE = 32 };

struct words {
    unsigned count; /* WORDS + 1 when there were more */
    const char *word[WORDS];
};

typedef unsigned long long ull;

static void refuse(struct text *answer, const char *what, const char *remedy) {
    COUNT(magazine_counters(), socket_errors);
    text_add(answer, "error: %s; %s\n", what, remedy);
}

/* A snapshot is too large for the helper's stack. */
static const struct snapshot *snapshot_now(bool whole) {
    static struct snapshot snapshot;
    snapshot_take(&snapshot, whole);
    return &snapshot;
}

static const char everything[] = "help, show, set, flush, reset, ab, prompt and quit exist";
static const char shows[] = "show takes info, stat, stat json, metrics, keys, sites, config, ab or ab json";

static void help(struct text *answer) {
    text_add(answer, "%s",
             "help                      this list\n"
             "show info                 program, versions, mode, how full the cache is\n"
             "show stat [json]          every counter, with the latencies of a sample of the calls\n"
             "show metrics              the same as Prometheus text\n"
             "show keys                 the cached keys, by fingerprint\n"
             "show sites                call stacks of misses and bypasses\n"
             "show config               every option, its value and where that came from\n"
             "show ab [json]            the A/B experiment: latencies of bare NSS and of the cache\n"
             "ab SHARE [for SECONDS]    begin one: this share of operations (0..1) goes to bare NSS\n"
             "ab off                    end it; show ab has its results\n"
             "set OPTION VALUE          change an option while the process runs\n"
             "flush                     destroy every idle key and context now\n"
             "reset                     let all counters begin anew\n"
             "prompt                    keep the connection for more lines; quit ends it\n"
             "Several commands fit on a line, with ; between them.\n");
}

static void run_show(struct text *answer, const struct words *w) {
    const char *what = w->count > 1 ? w->word[1] : "";
    bool json = w->count == 3 && strcmp(w->word[2], "json") == 0;
    if (json && strcmp(what, "stat") == 0)
        show_stat_json(answer, snapshot_now(false));
    else if (json && strcmp(what, "ab") == 0)
        show_experiment_json(answer);
    else if (w->count != 2)
        refuse(answer, w->count < 2 ? "show what?" : "too many words", shows);
    else if (strcmp(what, "info") == 0)
        show_info(answer, snapshot_now(false));
    else if (strcmp(what, "stat") == 0)
        show_stat(answer, snapshot_now(false));
    else if (strcmp(what, "metrics") == 0)
        show_metrics(answer, snapshot_now(false));
    else if (strcmp(what, "keys") == 0)
        show_keys(answer);
    else if (strcmp(what, "sites") == 0)
        sites_show(answer);
    else if (strcmp(what, "config") == 0)
        show_config(answer);
    else if (strcmp(what, "ab") == 0)
        show_experiment(answer);
    else
        refuse(answer, "there is nothing of that name to show", shows);
}

static void live_options(char *names, size_t size) {
    size_t used = (size_t)snprintf(names, size, "set can change");
    for (unsigned i = 0; i < option_list_size; i++)
        if (option_list[i].when == LIVE && used < size)
            used += (size_t)snprintf(names + used, size - used, " %s", option_list[i].name);
}

static void run_set(struct text *answer, const struct words *w) {
    char names[256], before[64], after[64], problem[256];
    live_options(names, sizeof names);
    if (w->count != 3) {
        refuse(answer, "set takes an option and a value", names);
        return;
    }
    for (unsigned i = 0; i < option_list_size; i++) {
        const struct option_entry *o = &option_list[i];
        if (strcmp(o->name, w->word[1]) != 0 && strcmp(o->variable, w->word[1]) != 0)
            continue;
        option_text(o, before, sizeof before);
        if (option_set(o, w->word[2], problem, sizeof problem)) {
            refuse(answer, problem, names);
            return;
        }
        root_apply_engine();
        sites_prepare();
        text_add(answer, "ok: %s was %s, is %s\n", o->name, before, option_text(o, after, sizeof after));
        return;
    }
    refuse(answer, "there is no such option", names);
}

static void run_flush(struct text *answer) {
    unsigned keys = root_keys_live(), engines = root_engines_live();
    if (root_mode() != MODE_UP && root_mode() != MODE_OFF) {
        refuse(answer, "nothing to flush", "NSS is not up");
        return;
    }
    cache_flush();
    text_add(answer, "ok: %u keys and %u engines before, %u and %u after\n", keys, engines, root_keys_live(),
             root_engines_live());
}

/* What was counted until now is the answer, so that nothing is lost between two resets. */
static void run_reset(struct text *answer) {
    const struct snapshot *s = snapshot_now(true);
    struct root *root = root_peek();
    struct counters until_now = s->counters;
    if (root && root->baseline)
        counters_subtract(&until_now, &root->baseline->counters);
    snapshot_reset(s);
    sites_reset();
    text_add(answer, "ok: until now calls %llu hits %llu misses %llu bypasses %llu\n", (ull)counters_calls(&until_now),
             (ull)counters_hits(&until_now), (ull)counters_misses(&until_now), (ull)counters_bypasses(&until_now));
}

static void run_ab(struct text *answer, const struct words *w) {
    static const char usage[] = "ab SHARE [for SECONDS], or ab off";
    struct experiment_plan plan;
    if (w->count == 2 && strcmp(w->word[1], "off") == 0) {
        bool was = experiment_state().running;
        experiment_stop();
        text_add(answer, "ok: %s\n", was ? "ended" : "no experiment was running");
        return;
    }
    const char *problem = w->count > WORDS ? "too many words" : experiment_parse(w->word + 1, w->count - 1, &plan);
    if (problem)
        refuse(answer, problem, usage);
    else if (root_mode() != MODE_UP)
        refuse(answer, "the cache is off or NSS is down", "set engine stream first");
    else if (!experiment_start(&plan))
        refuse(answer, "an experiment is running", "ab off ends it");
    else
        text_add(answer, "ok: number %u\n", experiment_state().number);
}

static struct words split(char *command) {
    struct words w = {0};
    char *rest;
    for (char *word = strtok_r(command, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (w.count < WORDS)
            w.word[w.count] = word;
        if (w.count <= WORDS)
            w.count++;
    }
    return w;
}

static bool is_alone(struct text *answer, const struct words *w) {
    if (w->count > 1)
        refuse(answer, "too many words", "this command takes none");
    return w->count == 1;
}

static enum command_wish run_one(struct text *answer, char *command) {
    struct words w = split(command);
    const char *verb = w.count ? w.word[0] : "";
    bool changes =
        strcmp(verb, "set") == 0 || strcmp(verb, "flush") == 0 || strcmp(verb, "reset") == 0 || strcmp(verb, "ab") == 0;
    COUNT(magazine_counters(), socket_commands);
    if (changes && option(&options.control) == CONTROL_OFF)
        refuse(answer, "PK11CACHE_CONTROL=off", "show and help are answered");
    else if (strcmp(verb, "show") == 0)
        run_show(answer, &w);
    else if (strcmp(verb, "set") == 0)
        run_set(answer, &w);
    else if (strcmp(verb, "ab") == 0)
        run_ab(answer, &w);
    else if (strcmp(verb, "help") == 0 && is_alone(answer, &w))
        help(answer);
    else if (strcmp(verb, "flush") == 0 && is_alone(answer, &w))
        run_flush(answer);
    else if (strcmp(verb, "reset") == 0 && is_alone(answer, &w))
        run_reset(answer);
    else if (strcmp(verb, "prompt") == 0 && is_alone(answer, &w))
        return COMMAND_STAY;
    else if (strcmp(verb, "quit") == 0 && is_alone(answer, &w))
        return COMMAND_QUIT;
    else if (w.count != 0 && strcmp(verb, "help") != 0 && !changes && strcmp(verb, "prompt") != 0 &&
             strcmp(verb, "quit") != 0)
        refuse(answer, "unknown command", everything);
    return COMMAND_CLOSE;
}

static bool is_text(const char *line) {
    for (; *line; line++)
        if ((unsigned char)*line < ' ' && *line != '\t')
            return false;
    return true;
}

enum command_wish command_run(struct text *answer, char *line) {
    enum command_wish wish = COMMAND_CLOSE;
    unsigned count = 0;
    char *rest = line;
    if (!is_text(line)) {
        refuse(answer, "control characters in the line", everything);
        return wish;
    }
    if (line[strspn(line, " \t;")] == 0)
        refuse(answer, "no command", everything);
    while (rest && wish != COMMAND_QUIT) {
        char *command = strsep(&rest, ";");
        if (++count > COMMANDS_A_LINE) {
            refuse(answer, "too many commands", "a line takes 32");
            break;
        }
        root_helper_enter();
        enum command_wish now = run_one(answer, command);
        root_helper_leave();
        if (now != COMMAND_CLOSE)
            wish = now;
    }
    return wish;
}
