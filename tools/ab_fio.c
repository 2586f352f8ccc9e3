/* What fio prints. Its JSON has every digit; its normal output rounds IOPS over 10,000 to three. */
#include "ab_metric.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct sums {
    double iops, weighted, max; /* ms */
};

static void take(struct sums *sums, double iops, double average, double max) {
    sums->iops += iops;
    sums->weighted += iops * average;
    if (max > sums->max)
        sums->max = max;
}

static bool finish(const struct sums *sums, struct metric_io *io) {
    *io = (struct metric_io){sums->iops, sums->weighted / sums->iops, sums->max};
    return sums->iops > 0 && sums->max > 0;
}

static double number(json_t *object, const char *name) {
    return json_number_value(json_object_get(object, name));
}

static void take_direction(struct sums *sums, json_t *direction) {
    json_t *ns = json_object_get(direction, "lat_ns"), *us = json_object_get(direction, "lat"); /* fio 3; fio 2 */
    json_t *latency = ns ? ns : us;
    double scale = ns ? 1e-6 : 1e-3;
    if (number(direction, "iops") > 0)
        take(sums, number(direction, "iops"), number(latency, "mean") * scale, number(latency, "max") * scale);
}

/* Warnings may stand before the JSON, and other output after it. */
static bool by_json(const char *output, struct metric_io *io) {
    static const char *const directions[] = {"read", "write", "trim"};
    const char *version = strstr(output, "\"fio version\""), *start = version;
    while (start && start > output && *start != '{')
        start--;
    json_t *root = start ? json_loads(start, JSON_DISABLE_EOF_CHECK, NULL) : NULL, *job;
    struct sums sums = {0};
    size_t i;
    json_array_foreach(json_object_get(root, "jobs"), i, job) {
        for (int d = 0; d < 3; d++)
            take_direction(&sums, json_object_get(job, directions[d]));
    }
    json_decref(root);
    return root && finish(&sums, io);
}

/* "16.7k", "1.2M". */
static double with_suffix(const char *text) {
    char *end;
    double value = strtod(text, &end);
    int suffix = tolower((unsigned char)*end);
    return value * (suffix == 'k' ? 1e3 : suffix == 'm' ? 1e6 : 1);
}

static double after(const char *line, const char *name) {
    const char *found = strstr(line, name);
    return found ? with_suffix(found + strlen(name)) : 0;
}

/* "read: IOPS=16.7k, ..." begins a direction, and "lat (usec): min=31, max=999, avg=46.48" belongs to the last begun;
 * "clat" and "slat" are parts of "lat", and "lat (usec) : 2=1.95%" is a distribution. */
static void take_line(struct sums *sums, const char *line, double *iops) {
    static const struct {
        const char *start;
        double scale;
    } units[] = {{"lat (nsec):", 1e-6}, {"lat (usec):", 1e-3}, {"lat (msec):", 1}, {"lat (sec):", 1e3}};
    double begun = after(line, "IOPS=") + after(line, " iops=");
    if (begun > 0)
        *iops = begun;
    line += strspn(line, " ");
    for (size_t i = 0; i<sizeof units / sizeof *units && * iops> 0; i++)
        if (!strncmp(line, units[i].start, strlen(units[i].start)) && strstr(line, "avg=")) {
            take(sums, *iops, after(line, "avg=") * units[i].scale, after(line, "max=") * units[i].scale);
            *iops = 0;
        }
}

static bool by_text(const char *output, struct metric_io *io) {
    struct sums sums = {0};
    double iops = 0;
    char line[512];
    for (size_t length; *output; output += length + (output[length] != 0)) {
        length = strcspn(output, "\n");
        size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, output, kept);
        line[kept] = 0;
        take_line(&sums, line, &iops);
    }
    return finish(&sums, io);
}

bool fio_output(const char *output, struct metric_io *io) {
    return by_json(output, io) || by_text(output, io);
}
