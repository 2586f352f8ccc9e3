/* ab_metric.h - figures from a program's output: by a regular expression, or ready-made for fio and rados bench. */
#ifndef PK11CACHE_AB_METRIC_H
#define PK11CACHE_AB_METRIC_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

enum { METRICS_MAX = 16, METRIC_NAME = 32 };

enum metric_sense { LESS_IS_BETTER = -1, SENSE_UNKNOWN, MORE_IS_BETTER };

enum metric_source { METRIC_REGEX, METRIC_FIO, METRIC_RADOS };

struct metric {
    char name[METRIC_NAME];
    const char *unit;
    enum metric_sense sense;
    enum metric_source source;
    int field; /* of the ready-made ones */
    regex_t regex;
};

struct metrics {
    struct metric list[METRICS_MAX];
    int count;
};

/* "NAME=REGEX", an extended regular expression with a group. The name tells its sense: less of
 * latency, time, CPU and memory is better, more of IOPS, throughput, bandwidth and whatever is per second; of others we
 * don't know. NULL, or what is wrong, in a sentence that is valid until the next call. */
const char *metrics_add(struct metrics *metrics, const char *text);

/* iops, latency_avg and latency_max (ms) as fio (its normal or JSON output) or rados bench print them. */
const char *metrics_add_ready_made(struct metrics *metrics, enum metric_source source);

/* Fill `values`, one a metric, from the output. NULL, or the name of the first metric that is not in it. */
const char *metrics_take(const struct metrics *metrics, const char *output, double *values);

/* ab_fio.c, ab_rados.c: false when the output has none. IOPS summed over jobs and directions, the average latency
 * weighted by them, the greatest latency; ms. */
struct metric_io {
    double iops, latency_avg, latency_max;
};
bool fio_output(const char *output, struct metric_io *io);
bool rados_output(const char *output, struct metric_io *io);

#endif
