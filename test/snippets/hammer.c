/* The sequence of Ceph's 0.48 to 0.94: everything is made anew for every message.
 * counts: hits */
#include "snippet.h"

int snippet(void) {
    init();
    for (int i = 0; i < 4; i++)
        hammer("message", 1);
    print_shutdown("end");
    return 0;
}
