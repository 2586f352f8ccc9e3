#include "preload/say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void say(const char *format, ...) {
    int saved = errno;
    char line[512];
    int used = snprintf(line, sizeof line, "pk11cache[%d]: ", (int)getpid());
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    size_t length = (size_t)used + (more > 0 ? (size_t)more : 0);
    if (length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, length) < 0) {
        /* nobody is listening: nothing to be done about it */
    }
    errno = saved;
}
