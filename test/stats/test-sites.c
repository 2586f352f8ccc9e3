/* Call sites: the right stacks and shares; with dlopen going on, and over the allocators that unwind by themselves. */
#include "drive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char *sites_of(const struct live *live) {
    return ask(live->socket, "show sites");
}

/* libunwind is loaded by the helper thread, within moments when stacks were asked for. */
static struct live start_with_stacks(const char *more, const char *shim) {
    char preload[600] = "ALSO_PRELOAD=";
    strcat(preload, more);
    struct live live = live_start(4, (const char *const[]){"PK11CACHE_SITES=20", *more ? preload : "NO=1", shim, NULL});
    assert_true(socket_comes(live.socket));
    return live;
}

static void check_sites(struct live *live) {
    live_tell(live, "run 3000");
    live_tell(live, "bypass 50");
    char *sites = sites_of(live);
    char *hit = strstr(sites, "create CKM_AES_CBC_PAD CKA_ENCRYPT"),
         *bypass = strstr(sites, "create CKM_AES_GCM CKA_ENCRYPT");
    if (!hit || !bypass || !strstr(hit, " live_encrypt\n") || !strstr(bypass, " live_bypass\n"))
        fail_msg("%s", sites);
    char *share = strstr(hit, "hit share about ");
    assert_non_null(share); /* 99.97 %, estimated from a sample of the hits */
    assert_true(strtod(share + strlen("hit share about "), NULL) >= 99);
    assert_non_null(strstr(sites, "import CKM_AES_CBC_PAD CKA_ENCRYPT"));
    assert_non_null(strstr(sites, "best_slot CKM_AES_CBC_PAD"));
    assert_null(strstr(sites, "libpk11cache")); /* our own frames are left out */
    char *stat = ask(live->socket, "show stat");
    assert_true(number_in(stat, "stacks_taken") + number_in(stat, "stacks_skipped") + number_in(stat, "stacks_lost") >=
                50);
    assert_true(number_in(stat, "stacks_taken") > 0);
    free(stat);
    free(sites);
}

static void stacks_and_shares(void **state) {
    (void)state;
    struct live live = start_with_stacks("", NULL);
    check_sites(&live);
    free(ask(live.socket, "reset"));
    char *sites = sites_of(&live);
    assert_non_null(strstr(sites, "no call stack was taken yet"));
    free(sites);
    live_end(&live);
}

/* Misses and bypasses only: exact while below the rate. */
static void bypasses_are_counted(void **state) {
    (void)state;
    struct live live = live_start(2, (const char *const[]){"PK11CACHE_STACKS=yes", NULL});
    assert_true(socket_comes(live.socket));
    free(ask(live.socket, "reset"));
    sleep(1);
    live_tell(&live, "run 1000");
    live_tell(&live, "bypass 40");
    char *sites = sites_of(&live), *bypass = strstr(sites, "create CKM_AES_GCM CKA_ENCRYPT, 0 misses, 40 bypasses\n");
    if (!bypass)
        fail_msg("%s", sites);
    assert_null(strstr(sites, "hit share"));
    free(sites);
    live_tell(&live, "bypass 5000");
    char *stat = ask(live.socket, "show stat");
    assert_true(number_in(stat, "stacks_taken") < 1000); /* rate limited */
    assert_true(number_in(stat, "stacks_skipped") > 3000);
    free(stat);
    live_end(&live);
}

static void switched_off(void **state) {
    (void)state;
    struct live live = live_start(1, (const char *const[]){"PK11CACHE_STACKS=no", NULL});
    char path[64], line[512];
    live_tell(&live, "bypass 10");
    char *sites = sites_of(&live);
    assert_non_null(strstr(sites, "set stacks yes"));
    free(sites);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)live.pid);
    FILE *maps = fopen(path, "r");
    while (fgets(line, sizeof line, maps))
        assert_null(strstr(line, "libunwind"));
    fclose(maps);
    free(ask(live.socket, "set stacks yes"));
    live_tell(&live, "bypass 10");
    sites = sites_of(&live);
    assert_non_null(strstr(sites, "live_bypass"));
    free(sites);
    live_end(&live);
}

/* Unwinding makes system calls: a program that went into a sandbox is left alone, within a second. */
static void none_in_a_sandbox(void **state) {
    (void)state;
    struct live live = live_start(1, (const char *const[]){"PK11CACHE_STACKS=yes", NULL});
    assert_true(socket_comes(live.socket));
    live_tell(&live, "bypass 10");
    char *before = ask(live.socket, "show stat");
    assert_true(number_in(before, "stacks_taken") > 0);
    live_tell(&live, "sandbox");
    sleep(2);
    free(before);
    before = ask(live.socket, "show stat");
    live_tell(&live, "bypass 10");
    char *after = ask(live.socket, "show stat");
    assert_int_equal(number_in(after, "stacks_taken"), number_in(before, "stacks_taken"));
    assert_int_equal(number_in(after, "bypass_mechanism"), 20);
    free(before);
    free(after);
    live_end(&live);
}

static void without_libunwind(void **state) {
    (void)state;
    struct live live = start_with_stacks(need_env("PK11CACHE_SHIM"), "SHIM=no_unwind");
    live_tell(&live, "bypass 10");
    char *sites = sites_of(&live);
    assert_string_equal(sites, "no call stacks: libunwind.so.8 is not installed\n");
    free(sites);
    assert_int_equal(live_said(&live, "libunwind.so.8 is not installed"), 1);
    assert_int_equal(live_tell(&live, "run 100"), 400);
    live_end(&live);
}

static void with_dlopen_going_on(void **state) {
    (void)state;
    struct live live = start_with_stacks(need_env("PK11CACHE_SHIM"), "SHIM=dlopen_loop");
    for (int i = 0; i < 5; i++)
        live_tell(&live, "run 3000");
    check_sites(&live);
    live_end(&live);
}

static void over_allocator(const char *name) {
    if (!*need_env(name))
        fail_msg("%s is empty: the library is not installed", name);
    struct live live = start_with_stacks(need_env(name), NULL);
    check_sites(&live);
    live_end(&live);
}
static void over_tcmalloc(void **state) {
    (void)state;
    over_allocator("TCMALLOC");
}
static void over_jemalloc(void **state) {
    (void)state;
    over_allocator("JEMALLOC");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_and_shares), cmocka_unit_test(bypasses_are_counted),
        cmocka_unit_test(switched_off),      cmocka_unit_test(none_in_a_sandbox),
        cmocka_unit_test(without_libunwind), cmocka_unit_test(with_dlopen_going_on),
        cmocka_unit_test(over_tcmalloc),     cmocka_unit_test(over_jemalloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
