/* Row "kronosnet CVE-2026-15811": a program changes its key. After the idle time (a second here) the old key is in
 * memory no more often than with bare NSS: neither the cache's nor softoken's copy of its bytes.
 * Tried: cache_age without its remove_keys: the old key is found.
 * only in: preloaded local fork - it takes two seconds each time
 * set: PK11CACHE_IDLE_TTL=1
 * counts: hits keys_gone engines_idle */
#include "snippet.h"

enum { KEY = 16 };

/* How often is it in this process's writable memory? The one that is looked for is not there as such. */
static int found(unsigned char seed) {
    char line[512], mode[5];
    int count = 0;
    unsigned long start, end;
    FILE *maps = fopen("/proc/self/maps", "r"), *memory = fopen("/proc/self/mem", "r");
    while (maps && memory && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[0] != 'r' || mode[1] != 'w')
            continue;
        unsigned run = 0;
        fseek(memory, (long)start, SEEK_SET);
        for (unsigned long at = start; at < end; at += 4096) {
            unsigned char page[4096];
            if (fread(page, sizeof page, 1, memory) != 1)
                break;
            for (unsigned i = 0; i < sizeof page; i++) {
                run = (page[i] ^ 0xff) == seed ? run + 1 : 0;
                count += run == KEY;
            }
        }
    }
    if (maps)
        fclose(maps);
    if (memory)
        fclose(memory);
    return count;
}

static void use(unsigned char inverted) {
    unsigned char out[32];
    PK11SymKey *key = import(inverted ^ 0xff);
    first_answer(key, out);
    for (int i = 0; i < 20; i++)
        encrypts(key, out);
    PK11_FreeSymKey(key);
}

/* What this program and its calls left on the stack is theirs. */
__attribute__((noinline)) static void wipe_stack(void) {
    volatile unsigned char below[64 * 1024];
    for (unsigned i = 0; i < sizeof below; i++)
        below[i] = 0;
}

int snippet(void) {
    init();
    use(0x5a);
    wipe_stack();
    PK11SymKey *held = import(0xa5 ^ 0x11);
    printf("a key in use is there: %d\n", found((0xa5 ^ 0x11) ^ 0xff) > 0);
    PK11_FreeSymKey(held);
    usleep(1700000);
    use(0x33);
    wipe_stack();
    printf("the old one is: %d\n", found(0x5a));
    print_shutdown("end");
    return 0;
}
