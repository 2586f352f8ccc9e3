#include "plot.h"
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t gnuplot;

static bool ends_in(const char *file, const char *ending) {
    size_t length = strlen(file);
    return length > strlen(ending) && !strcmp(file + length - strlen(ending), ending);
}

const char *plot_problem(const char *file) {
    return ends_in(file, ".svg") || ends_in(file, ".png") ? NULL : "its name must end in .svg or .png";
}

bool plot_possible(void) {
    const char *list = getenv("PATH");
    for (; list && *list; list += strcspn(list, ":") + (list[strcspn(list, ":")] != 0)) {
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/gnuplot", (int)strcspn(list, ":"), list);
        if (access(candidate, X_OK) == 0)
            return true;
    }
    complain("a plot needs gnuplot, which is not installed (Debian: gnuplot-nox)");
    return false;
}

void plot_quote(FILE *script, const char *text) {
    fputc('\'', script);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text == '\n' ? ' ' : *text, 0}, script);
    fputc('\'', script);
}

/* The user's own gnuplot settings (-d: no ~/.gnuplot) don't reach the picture. */
static FILE *start(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    gnuplot = fork();
    if (gnuplot == 0) {
        dup2(ends[0], STDIN_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execlp("gnuplot", "gnuplot", "-d", "-", (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    FILE *script = gnuplot > 0 ? fdopen(ends[1], "w") : NULL;
    if (!script)
        close(ends[1]);
    return script;
}

FILE *plot_open(const char *file, int height) {
    FILE *script = start();
    if (!script) {
        complain("gnuplot can't be started: %s", strerror(errno));
        return NULL;
    }
    signal(SIGPIPE, SIG_IGN); /* of a gnuplot that has failed; its exit status tells */
    fprintf(script, "set terminal %s size %d,%d noenhanced font 'sans,12' background rgb 'white'\n",
            ends_in(file, ".svg") ? "svg" : "pngcairo", PLOT_WIDTH, height);
    fputs("set output ", script);
    plot_quote(script, file);
    fputs("\nset encoding utf8\nset border 3\nset tics nomirror\nset grid ytics back lt 1 lw 0.5 lc rgb '#cccccc'\n",
          script);
    return script;
}

bool plot_close(FILE *script, const char *file) {
    int status = -1;
    bool written = fclose(script) == 0;
    if (waitpid(gnuplot, &status, 0) == gnuplot && status == 0 && written)
        return true;
    complain("gnuplot could not draw %s", file);
    return false;
}
