/* program_file.h - a program's file, as the one who starts it sees it: where it is, and what the kernel makes of its
 * mode bits and capabilities. */
#ifndef PK11CACHE_PROGRAM_FILE_H
#define PK11CACHE_PROGRAM_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* A name without a slash is looked for in $PATH, as a shell does. The path is without links. False with `errno` set. */
bool program_find(const char *name, char path[PATH_MAX]);

enum privilege { PRIVILEGE_NONE, PRIVILEGE_SET_ID, PRIVILEGE_CAPABILITIES };

/* What a start of this file by that user adds to the user's rights. With anything but PRIVILEGE_NONE the kernel sets
 * AT_SECURE, and the loader ignores LD_PRELOAD. */
enum privilege program_privilege(const char *path, uid_t uid, gid_t gid);

#endif
