/* options.h - the settings of this process, read once from the environment (never when it is set-user-ID:
 * secure_getenv). After options_load() only options_set() changes them: any thread reads, one (the helper) writes. */
#ifndef PK11CACHE_OPTIONS_H
#define PK11CACHE_OPTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum option_kind { CHOICE, NUMBER, TEXT };
enum option_when { START, LIVE };
enum option_source { FROM_DEFAULT, FROM_ENVIRONMENT, FROM_SOCKET };

/* CHOICE and NUMBER settings use .number (a choice: its place in the list), TEXT settings .text (never NULL, not
 * owned: it points into the environment or to a literal). */
struct option_value {
    _Atomic long number;
    const char *text;
    enum option_source source;
};

struct options {
#define OPTION(id, variable, kind, standard, range, when, help) struct option_value id;
#include "preload/options.def"
#undef OPTION
};

extern struct options options;

/* Every option, as `set` and `show config` see it. */
struct option_entry {
    const char *name, *variable, *standard, *range, *help;
    enum option_kind kind;
    enum option_when when;
    struct option_value *value;
};
extern const struct option_entry option_list[];
extern const unsigned option_list_size;

static inline long option(const struct option_value *value) {
    return atomic_load_explicit(&value->number, memory_order_relaxed);
}

enum { ENGINE_STREAM, ENGINE_RESET, ENGINE_OFF };
enum { SESSION_LOCKS_MANY, SESSION_LOCKS_AS_ASKED };
enum { CHILDREN_YES, CHILDREN_NO };
enum { CONTROL_ON, CONTROL_OFF };
enum { STACKS_YES, STACKS_NO };

/* Parse one value. False (and *value untouched) when the text is not of that kind and range. Used by tests too. */
bool option_parse(enum option_kind kind, const char *range, const char *text, long *number);

/* The value as text, into buffer; TEXT values are returned as they are. */
const char *option_text(const struct option_entry *entry, char *buffer, size_t size);

/* Change a LIVE option. NULL, or why not: a text that names what is allowed, in `problem`. */
const char *option_set(const struct option_entry *entry, const char *text, char *problem, size_t size);

/* Read the environment. A bad value gets one line on stderr that names variable, value and range; its default is used.
 */
void options_load(void);

/* True when PK11CACHE_ONLY is empty or names this program (its file name or its comm, 15 characters). */
bool options_select_program(void);

#endif
