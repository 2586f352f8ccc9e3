/* A main program without NSS. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_LOCAL | RTLD_NOW) : NULL;
    void (*story)(void) = plugin ? (void (*)(void))dlsym(plugin, "plugin_story") : NULL;
    if (!story) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    story();
    story();
    /* Unloaded, with NSS perhaps, and loaded again. */
    for (int i = 0; i < 2; i++) {
        printf("dlclose: %d\n", dlclose(plugin));
        fflush(stdout);
        plugin = dlopen(argv[1], RTLD_LOCAL | RTLD_NOW);
        story = plugin ? (void (*)(void))dlsym(plugin, "plugin_story") : NULL;
        if (!story)
            return 2;
        story();
    }
    return 0;
}
