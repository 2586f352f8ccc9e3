/* The summary of rados bench, from bobtail ("Average Latency:") to today ("Average Latency(s):"). */
#include "ab_metric.h"

#include <stdlib.h>
#include <string.h>

/* "name", perhaps "(s)" or another unit, a colon and a number, at the start of a line. */
static bool field(const char *output, const char *name, double *value) {
    for (const char *found = output; (found = strcasestr(found, name)); found++) {
        const char *rest = found + strlen(name);
        if (found > output && found[-1] != '\n')
            continue;
        if (*rest == '(')
            rest += strcspn(rest, ")\n") + 1;
        if (*rest != ':')
            continue;
        char *end;
        *value = strtod(rest + 1, &end);
        return end != rest + 1;
    }
    return false;
}

bool rados_output(const char *output, struct metric_io *io) {
    double seconds, operations, average, max;
    bool counted = field(output, "Total writes made", &operations) || field(output, "Total reads made", &operations) ||
                   field(output, "Total ops made", &operations);
    if (!counted || !field(output, "Total time run", &seconds) || !(seconds > 0) ||
        !field(output, "Average Latency", &average) || !field(output, "Max Latency", &max))
        return false;
    *io = (struct metric_io){operations / seconds, average * 1e3, max * 1e3};
    return true;
}
