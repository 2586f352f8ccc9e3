/* host PLUGIN now|deep|space [idle]: open the plugin plainly, with RTLD_DEEPBIND or in a namespace of its own, use it
 * (unless idle), say "ready", and wait. Lazily bound: what is not called stays unbound. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *open_plugin(const char *path, const char *how) {
    if (!strcmp(how, "space"))
        return dlmopen(LM_ID_NEWLM, path, RTLD_LAZY | RTLD_LOCAL);
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL | (strcmp(how, "deep") ? 0 : RTLD_DEEPBIND));
}

int main(int argc, char **argv) {
    void *plugin = argc > 2 ? open_plugin(argv[1], argv[2]) : NULL;
    int (*use)(void) = NULL;
    if (plugin)
        *(void **)&use = dlsym(plugin, "plugin_use");
    if (!use) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (argc == 3 && use() != 0)
        return 2;
    puts("ready");
    fflush(stdout);
    alarm(60);
    pause();
    return 0;
}
