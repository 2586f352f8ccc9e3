#include "format.h"

#include <math.h>
#include <stdio.h>

/* Three digits of a number that is below 1000. */
static void three_digits(char to[FORMATTED], double value, const char *unit) {
    snprintf(to, FORMATTED, "%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, unit);
}

static char *none(char to[FORMATTED]) {
    snprintf(to, FORMATTED, "-");
    return to;
}

char *format_count(char to[FORMATTED], double value) {
    static const char *const units[] = {"k", "M", "G", "T", "P"};
    if (!isfinite(value))
        return none(to);
    if (value < 9.95 && value != floor(value)) {
        snprintf(to, FORMATTED, "%.1f", value);
        return to;
    }
    if (value < 999.5) {
        snprintf(to, FORMATTED, "%.0f", value);
        return to;
    }
    unsigned unit = 0;
    for (value /= 1000; value >= 999.5 && unit < 4; unit++)
        value /= 1000;
    three_digits(to, value, units[unit]);
    return to;
}

char *format_ns(char to[FORMATTED], double nanoseconds) {
    static const char *const units[] = {" us", " ms", " s"};
    if (!isfinite(nanoseconds))
        return none(to);
    if (nanoseconds < 999.5) {
        snprintf(to, FORMATTED, "%.0f ns", nanoseconds);
        return to;
    }
    unsigned unit = 0;
    for (nanoseconds /= 1000; nanoseconds >= 999.5 && unit < 2; unit++)
        nanoseconds /= 1000;
    three_digits(to, nanoseconds, units[unit]);
    return to;
}

char *format_percent(char to[FORMATTED], double share) {
    if (!isfinite(share))
        return none(to);
    snprintf(to, FORMATTED, "%.2f", floor(share * 100 + 1e-6) / 100);
    return to;
}

char *format_uptime(char to[FORMATTED], double seconds) {
    if (!isfinite(seconds) || seconds < 0)
        return none(to);
    unsigned long s = (unsigned long)seconds;
    if (s < 60)
        snprintf(to, FORMATTED, "%lus", s);
    else if (s < 3600)
        snprintf(to, FORMATTED, "%lum%02lu", s / 60, s % 60);
    else if (s < 86400)
        snprintf(to, FORMATTED, "%luh%02lu", s / 3600, s / 60 % 60);
    else
        snprintf(to, FORMATTED, "%lud%02lu", s / 86400, s / 3600 % 24);
    return to;
}

void format_printable(char *text) {
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
}
