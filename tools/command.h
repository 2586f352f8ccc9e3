/* command.h - the subcommands of pk11cache, and what they share.
 *
 * A subcommand gets its own argv (argv[0] is its name) and returns main's exit status: 0, 1 for a failure, 2 for bad
 * usage; `run` has 3 for "the cache did not act". Errors go to stderr in one plain sentence. */
#ifndef PK11CACHE_COMMAND_H
#define PK11CACHE_COMMAND_H

#include <limits.h>
#include <stdbool.h>

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_ab(int argc, char **argv);
int command_options(int argc, char **argv);
int command_counters(int argc, char **argv);
int command_stat(int argc, char **argv);
int command_top(int argc, char **argv);
int command_keys(int argc, char **argv);
int command_sites(int argc, char **argv);
int command_set(int argc, char **argv);
int command_flush(int argc, char **argv);
int command_reset(int argc, char **argv);
int command_metrics(int argc, char **argv);

/* "pk11cache: text" to stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The folder of this executable, without a slash at the end. */
const char *command_folder(void);

/* The library: `given`, else $PK11CACHE_LIB, else beside the command, else where it is installed. False, after a
 * complaint, when there is none. */
bool library_find(const char *given, char path[PATH_MAX]);

/* Try the library on /bin/true: one with a missing dependency or a too-new GLIBC version keeps its host from starting.
 * False after a complaint that says why. */
bool library_try(const char *path);

/* The value for LD_PRELOAD: the library first, then the other entries of `before` (which may be NULL). To be freed. */
char *library_preload_list(const char *path, const char *before);

/* The entries of `before` but for the library, as LD_PRELOAD wants them; empty when there are none. To be freed. */
char *library_others(const char *path, const char *before);

#endif
