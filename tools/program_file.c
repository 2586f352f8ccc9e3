#include "program_file.h"

#include <endian.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

bool program_find(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/'))
        return realpath(name, path);
    const char *list = getenv("PATH");
    for (; list && *list; list += strcspn(list, ":") + (list[strcspn(list, ":")] != 0)) {
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)strcspn(list, ":"), list, name);
        struct stat status;
        if (access(candidate, X_OK) == 0 && stat(candidate, &status) == 0 && S_ISREG(status.st_mode))
            return realpath(candidate, path);
    }
    errno = ENOENT;
    return false;
}

/* The kernel's rule (security/commoncap.c): capabilities that the file only lets be inherited add nothing by
 * themselves, and root has all of them anyway. */
static bool gives_capabilities(const char *path) {
    struct vfs_ns_cap_data data = {0}; /* the longest form; each begins with the shorter one */
    ssize_t length = getxattr(path, "security.capability", &data, sizeof data);
    if (length < (ssize_t)sizeof data.magic_etc)
        return false;
    bool effective = le32toh(data.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE;
    return effective || data.data[0].permitted || data.data[1].permitted;
}

enum privilege program_privilege(const char *path, uid_t uid, gid_t gid) {
    struct stat status;
    struct statvfs mount;
    if (stat(path, &status) || (statvfs(path, &mount) == 0 && (mount.f_flag & ST_NOSUID)))
        return PRIVILEGE_NONE;
    bool set_group = (status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP); /* else it means locking */
    if (((status.st_mode & S_ISUID) && status.st_uid != uid) || (set_group && status.st_gid != gid))
        return PRIVILEGE_SET_ID;
    return uid != 0 && gives_capabilities(path) ? PRIVILEGE_CAPABILITIES : PRIVILEGE_NONE;
}
