/* Row "proxychains-ng#119, #273, #439": the program closes every descriptor, also those it did not open, and its own
 * files get their numbers. Nobody reads, writes or closes these; children inherit no socket.
 * Tried: private_files_begin without its unshare: the helper closes the program's files, stdout first. Without
 * private_files_only's closing too: a socket of ours is among the program's descriptors.
 * not in: nproc nofile daemon again - it needs a child, and descriptors; the last two have some open themselves
 * counts: hits */
#include "snippet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { FILES = 60 };

static int sockets(void) {
    char target[32];
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += readlinkat(dirfd(folder), entry->d_name, target, sizeof target) > 7 && !strncmp(target, "socket:", 7);
    if (folder)
        closedir(folder);
    return count;
}

static void use_and_wait(void) {
    hammer("message", 1);
    hammer("message", 1);
    usleep(30000); /* of the helper, if there is one */
}

int snippet(void) {
    int files[FILES], strange = 0;
    init();
    use_and_wait();
    printf("sockets: %d\n", sockets());
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    for (int i = 0; i < FILES; i++)
        files[i] = memfd_create("own", MFD_CLOEXEC);
    use_and_wait();
    for (int i = 0; i < FILES; i++) {
        struct stat status;
        strange += files[i] < 0 || fstat(files[i], &status) != 0 || status.st_size != 0 || close(files[i]) != 0;
    }
    printf("%d files, strange: %d, sockets: %d\n", FILES, strange, sockets());
    fflush(stdout);
    int status = system("for fd in /proc/self/fd/*; do readlink $fd; done | grep socket:");
    printf("a child has one: %d\n", WEXITSTATUS(status) == 0);
    print_shutdown("end");
    return 0;
}
