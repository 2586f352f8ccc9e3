/* The socket and our memory give no key away: after many operations with a key that this test chose, none of our
 * mappings has its bytes, no answer has them, and a core file lacks our mappings. That the scanner finds the key where
 * NSS keeps it shows that it is not blind. */
#include "drive.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { KEY = 16, RANGES = 4096 };

struct range {
    unsigned long start, end;
    bool ours;
};

/* Ours: the library's own segments, and what is marked as not to be dumped (smaps: dd), as all our pages are. */
static unsigned ranges_of(pid_t pid, struct range *ranges) {
    char path[64], line[1024];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned long start, end;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3 && strchr(line, '-') < strchr(line, ' ')) {
            assert_true(count < RANGES);
            if (mode[0] == 'r' && !strstr(line, "[vvar]") && !strstr(line, "[vsyscall]"))
                ranges[count++] = (struct range){start, end, strstr(line, "libpk11cache.so") != NULL};
        } else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " dd") && count) {
            ranges[count - 1].ours = true;
        }
    }
    fclose(file);
    return count;
}

static void scan_for(pid_t pid, const unsigned char *what, size_t length, unsigned found[2], size_t bytes[2]) {
    static struct range ranges[RANGES];
    char path[64];
    unsigned count = ranges_of(pid, ranges);
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    for (unsigned i = 0; i < count; i++) {
        size_t size = ranges[i].end - ranges[i].start;
        unsigned char *copy = malloc(size);
        if (copy && pread(fd, copy, size, (off_t)ranges[i].start) == (ssize_t)size) {
            bytes[ranges[i].ours] += size;
            for (unsigned char *at = copy; (at = memmem(at, size - (size_t)(at - copy), what, length)); at++)
                found[ranges[i].ours]++;
        }
        free(copy);
    }
    close(fd);
}

static void scan(pid_t pid, const unsigned char *key, unsigned found[2], size_t bytes[2]) {
    scan_for(pid, key, KEY, found, bytes);
}

static const unsigned char key[KEY] = {0x9d, 0x11, 0xe7, 0x42, 0x5a, 0xc3, 0x08, 0xf6,
                                       0x71, 0xbe, 0x2f, 0x94, 0xd0, 0x6b, 0x3c, 0xa8};
static const char key_line[] = "key 9d11e7425ac308f671be2f94d06b3ca8";

static void not_in_our_memory(void **state) {
    (void)state;
    struct live live = live_start(8, (const char *const[]){"PK11CACHE_SITES=10", NULL});
    unsigned found[2] = {0};
    size_t bytes[2] = {0};
    live_tell(&live, key_line);
    live_tell(&live, "run 2000");
    char *answer =
        ask(live.socket, "show keys; show stat; show stat json; show metrics; show sites; show config; show info");
    assert_null(memmem(answer, strlen(answer), key, KEY));
    assert_null(strcasestr(answer, "9d11e742"));
    assert_non_null(strstr(answer, " imported     16 "));
    free(answer);
    scan(live.pid, key, found, bytes);
    printf("key found %u times in %zu bytes of ours, %u times in %zu others\n", found[1], bytes[1], found[0], bytes[0]);
    assert_true(bytes[1] > 1 << 20);
    assert_int_equal(found[1], 0);
    assert_true(found[0] > 0);
    live_end(&live);
}

static bool core_has(const char *core, unsigned long start, unsigned long end) {
    char command[256], line[512];
    bool has = false;
    snprintf(command, sizeof command, "readelf -lW '%s'", core);
    FILE *pipe = popen(command, "r");
    while (fgets(line, sizeof line, pipe)) {
        unsigned long offset, address, physical, in_file, in_memory;
        if (sscanf(line, " LOAD %lx %lx %lx %lx %lx", &offset, &address, &physical, &in_file, &in_memory) == 5)
            has = has || (in_file && address < end && start < address + in_file);
    }
    pclose(pipe);
    return has;
}

static void not_in_a_core(void **state) {
    (void)state;
    static struct range ranges[RANGES];
    struct live live = live_start(2, NULL);
    char command[256], core[128];
    live_tell(&live, key_line);
    live_tell(&live, "run 100");
    unsigned count = ranges_of(live.pid, ranges), checked = 0;
    snprintf(core, sizeof core, "%s/core.%d", live.folder, (int)live.pid);
    snprintf(command, sizeof command, "gcore -o '%s/core' %d >/dev/null 2>&1", live.folder, (int)live.pid);
    assert_int_equal(system(command), 0);
    /* the largest of them are the records and the magazines */
    for (unsigned i = 0; i < count; i++)
        if (ranges[i].ours && ranges[i].end - ranges[i].start > 64 << 10 &&
            !core_has(core, ranges[i].start, ranges[i].start + 1))
            checked++;
    assert_true(checked >= 3);
    for (unsigned i = 0; i < count; i++)
        if (!ranges[i].ours && ranges[i].end - ranges[i].start > 64 << 10 &&
            core_has(core, ranges[i].start, ranges[i].end))
            checked += 1000; /* it does hold others' memory */
    assert_true(checked >= 1000);
    unlink(core);
    live_end(&live);
}

/* What NSS holds: its open sessions and secret keys. */
static void holdings(struct live *live, long *sessions, long *keys) {
    char line[64] = "";
    live_send(live, "objects");
    assert_non_null(fgets(line, sizeof line, live->from));
    assert_int_equal(sscanf(line, "keys %ld", keys), 1);
    *sessions = live_await(live);
}

/* After a flush, and after the idle time, NSS holds what it holds in a bare run of the same calls. */
static void given_back(const char *ttl, bool flush) {
    long bare_sessions, bare_keys, busy_sessions, busy_keys, sessions, keys;
    struct live bare = live_start(4, (const char *const[]){"BARE=1", NULL});
    live_tell(&bare, "run 500");
    holdings(&bare, &bare_sessions, &bare_keys);
    live_end(&bare);
    struct live live = live_start(4, (const char *const[]){ttl, NULL});
    live_tell(&live, key_line);
    live_tell(&live, "run 500");
    holdings(&live, &busy_sessions, &busy_keys);
    assert_true(busy_keys > bare_keys); /* the cached key: the count is not blind */
    if (flush)
        free(ask(live.socket, "flush"));
    else
        usleep(1800000);
    holdings(&live, &sessions, &keys);
    printf("bare %ld sessions, %ld keys; cached %ld and %ld; afterwards %ld and %ld\n", bare_sessions, bare_keys,
           busy_sessions, busy_keys, sessions, keys);
    assert_int_equal(keys, bare_keys);
    assert_true(sessions <= bare_sessions);
    unsigned found[2] = {0};
    size_t bytes[2] = {0};
    scan(live.pid, key, found, bytes);
    assert_int_equal(found[1], 0);
    live_end(&live);
}
static void given_back_by_flush(void **state) {
    (void)state;
    given_back("PK11CACHE_IDLE_TTL=60", true);
}
static void given_back_when_idle(void **state) {
    (void)state;
    given_back("PK11CACHE_IDLE_TTL=1", false);
}

/* The program's text is in no page of ours once its contexts are destroyed, not even in part: the end of the last block
 * waits in the record until the final. */
static void no_text_is_left(void **state) {
    (void)state;
    struct live live = live_start(8, NULL);
    unsigned found[2] = {0};
    size_t bytes[2] = {0};
    live_tell(&live, "run 2000");
    scan_for(live.pid, (const unsigned char *)"ature, 29 by", 12, found, bytes);
    assert_int_equal(found[1], 0);
    assert_true(found[0] > 0); /* in the program itself */
    live_end(&live);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(not_in_our_memory), cmocka_unit_test(given_back_by_flush),
                                       cmocka_unit_test(given_back_when_idle), cmocka_unit_test(no_text_is_left),
                                       cmocka_unit_test(not_in_a_core)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
