/* `pk11cache check PID`: is the cache in this process, and does it see its calls? */
#include "check.h"
#include "command.h"
#include "format.h"
#include "socket.h"
#include "view.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_of(pid_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* What the kernel told the loader at the start: it then ignores LD_PRELOAD. */
static bool was_secure(pid_t pid) {
    ElfW(auxv_t) entry;
    int fd = open_of(pid, "auxv");
    bool secure = false;
    while (fd >= 0 && read(fd, &entry, sizeof entry) == (ssize_t)sizeof entry && entry.a_type != AT_NULL)
        if (entry.a_type == AT_SECURE)
            secure = entry.a_un.a_val != 0;
    if (fd >= 0)
        close(fd);
    return secure;
}

/* A variable that it was started with; false when there is none, or it may not be seen. */
static bool environment_of(pid_t pid, const char *name, char *value, size_t size) {
    char path[64], *entry = NULL;
    size_t room = 0, length = strlen(name);
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && !found && getdelim(&entry, &room, 0, file) > 0) {
        found = strncmp(entry, name, length) == 0 && entry[length] == '=';
        if (found)
            snprintf(value, size, "%s", entry + length + 1);
        if (found)
            format_printable(value);
    }
    free(entry);
    if (file)
        fclose(file);
    return found;
}

static void say_why_absent(const struct process *p, const struct objects *objects, const char *library) {
    char text[1024], preload[1024];
    struct object_facts facts;
    bool known = library && check_library(library, &facts);
    printf("The cache is not in process %d (%s): ", (int)p->pid, p->name);
    if (was_secure(p->pid))
        puts("it was started with set-ID bits or file capabilities (AT_SECURE), and the loader then ignores "
             "LD_PRELOAD.");
    else if (check_obstacle(objects, known ? &facts : NULL, text, sizeof text))
        printf("%s.\n", text);
    else if (environment_of(p->pid, "LD_PRELOAD", preload, sizeof preload) && strstr(preload, "libpk11cache.so"))
        printf("it was started with LD_PRELOAD=%s, but the loader did not find or take that; its stderr says why.\n",
               preload);
    else
        puts("it was started without it. Start it by `pk11cache run`, or with libpk11cache.so in LD_PRELOAD.");
    if (known)
        object_free(&facts);
}

/* What the process itself counts. False when it can't be asked, after the reason was said. */
static bool ask_counts(const struct process *p, struct view *view) {
    struct ask ask = {.process = p};
    char why[1400];
    if (p->state != PROCESS_SOCKET) {
        process_explain(p, why, sizeof why);
        printf("What it has seen is not known: %s.\n", why);
        return false;
    }
    socket_ask(&ask, 1, "show stat json", ASK_MS);
    bool fine = ask.answer && view_parse(ask.answer, view, why, sizeof why);
    if (!fine)
        printf("What it has seen is not known: %s.\n", ask.answer ? why : ask.problem);
    ask_free(&ask);
    return fine;
}

static void say_counts(const struct process *p, const struct view *view) {
    char calls[FORMATTED], hits[FORMATTED];
    if (!view->calls) {
        puts("It has seen no call yet.");
        return;
    }
    printf("Calls are seen: %s so far, %s %% of them served from the cache (engine %s, mode %s).\n",
           format_count(calls, (double)view->calls),
           format_percent(hits, 100.0 * (double)view->hits / (double)view->calls), view->engine, view->mode);
    if (strcmp(view->engine, "off") == 0)
        printf("Its engine is switched off; back on: pk11cache set %d engine stream\n", (int)p->pid);
}

/* PK11CACHE_ONLY lets the library sleep in all other programs: no count will come. */
static void say_only(const struct process *p) {
    char names[512];
    if (environment_of(p->pid, "PK11CACHE_ONLY", names, sizeof names) && *names)
        printf("PK11CACHE_ONLY limits the cache to: %s\n", names);
}

static int judge_with_cache(const struct process *p, const struct check_uses *uses) {
    struct view view = {0};
    printf("The cache is in process %d (%s).\n", (int)p->pid, p->name);
    bool known = ask_counts(p, &view), seen = known && view.calls > 0;
    if (known)
        say_counts(p, &view);
    if (!known || !seen)
        say_only(p);
    if (!seen && uses->reached && uses->unbound)
        puts("Some of these functions have not been called yet: the loader binds them at the first call.");
    if (known)
        view_free(&view);
    return seen || uses->reached ? CHECK_YES : CHECK_NO;
}

static int judge(const struct process *p, struct objects *objects, const char *library) {
    int memory = open_of(p->pid, "mem");
    bool there = p->state >= PROCESS_QUIET;
    struct check_uses uses = check_say_uses(objects, there, memory);
    if (there && memory < 0)
        printf("Where its calls lead can't be seen in its memory: %s.\n", strerror(errno));
    if (memory >= 0)
        close(memory);
    if (there)
        return judge_with_cache(p, &uses);
    say_why_absent(p, objects, library);
    return CHECK_NO;
}

int check_process(pid_t pid, const char *library) {
    char why[1400], link[64], program[8];
    struct objects objects = {0};
    struct process p = process_look(pid);
    if (p.state == PROCESS_GONE || p.state == PROCESS_HIDDEN) {
        process_explain(&p, why, sizeof why);
        complain("%s", why);
        return CHECK_BAD;
    }
    snprintf(link, sizeof link, "/proc/%d/exe", (int)p.pid);
    int result = CHECK_BAD;
    if (readlink(link, program, sizeof program) < 0 && errno == ENOENT)
        complain("process %d (%s) is a thread of the kernel", (int)p.pid, p.name);
    else if (!check_maps(p.pid, &objects))
        complain("what is mapped into process %d (%s) can't be read: it may have ended", (int)p.pid, p.name);
    else if (!objects.items[0].readable)
        complain("the program of process %d (%s) can't be read", (int)p.pid, p.name);
    else
        result = judge(&p, &objects, library);
    objects_free(&objects);
    return result;
}
