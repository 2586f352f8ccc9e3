/* The sequence of Ceph's 0.48 to 0.94: everything is made anew for every message. Rows "libfaketime#130, #365, #521"
 * (settings constructor, static_object, faketime), "jemalloc#937, #1237" (unloaded, which loads the library late)
 * and "SSSD#6505, s2n-tls#3987" (unloaded).
 * Tried: root_load does nothing until our constructor ran: in constructor and static_object no call is cached.
 * Tried: 8 KiB in struct thread: "cannot allocate memory in static TLS block" in unloaded.
 * Tried: linked without -z nodelete: see test/elf/test-library.sh; and where real_resolve also lets go of libnss3,
 * whose bindings hold us too, unloaded crashes.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    for (int i = 0; i < 4; i++)
        hammer("message", 1);
    print_shutdown("end");
    return 0;
}
