/* options.h - the settings of this process, read once from the environment (never when it is set-user-ID:
 * secure_getenv). Read-only after options_load(). */
#ifndef PK11CACHE_OPTIONS_H
#define PK11CACHE_OPTIONS_H

#include <stdbool.h>

enum option_kind { CHOICE, NUMBER, TEXT };

/* CHOICE and NUMBER settings use .number (a choice: its place in the list), TEXT settings .text (never NULL, not
 * owned: it points into the environment or to a literal). */
struct option_value {
    long number;
    const char *text;
    bool from_environment;
};

struct options {
#define OPTION(id, variable, kind, standard, range, help) struct option_value id;
#include "preload/options.def"
#undef OPTION
};

extern struct options options;

enum { ENGINE_STREAM, ENGINE_RESET, ENGINE_OFF };
enum { SESSION_LOCKS_MANY, SESSION_LOCKS_AS_ASKED };
enum { CHILDREN_YES, CHILDREN_NO };

/* Parse one value. False (and *value untouched) when the text is not of that kind and range. Used by tests too. */
bool option_parse(enum option_kind kind, const char *range, const char *text, long *number);

/* Read the environment. A bad value gets one line on stderr that names variable, value and range; its default is used.
 */
void options_load(void);

/* True when PK11CACHE_ONLY is empty or names this program (its file name or its comm, 15 characters). */
bool options_select_program(void);

#endif
