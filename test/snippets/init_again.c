/* Shut down and initialised again, three times, with and without work between.
 * not in: nofile - NSS opens files when it is initialised again
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    for (int i = 0; i < 3; i++) {
        init();
        hammer("message", 1);
        hammer("message", 2);
        hammer("message", 1);
        print_shutdown("end");
        init();
        print_shutdown("of nothing");
        print_shutdown("of nothing, twice");
    }
    return 0;
}
