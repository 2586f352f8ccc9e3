/* An NSS user that is loaded with dlopen(RTLD_LOCAL): plugin_story() is looked up by plugin_host. */
#include "scenario.h"

void plugin_story(void);
void plugin_story(void) {
    init();
    for (int i = 0; i < 4; i++)
        hammer("in the plugin", 1);
    print_shutdown("plugin");
}
