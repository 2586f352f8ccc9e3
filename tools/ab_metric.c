#include "ab_metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool speaks_of(const char *name, const char *const *words) {
    for (; *words; words++)
        if (strcasestr(name, *words))
            return true;
    return false;
}

static enum metric_sense sense_of(const char *name) {
    static const char *const more[] = {"iops", "per_s", "/s", "throughput", "bandwidth", NULL};
    static const char *const less[] = {"latency", "time", "cpu", "mem", "per_op", NULL};
    return speaks_of(name, more) ? MORE_IS_BETTER : speaks_of(name, less) ? LESS_IS_BETTER : SENSE_UNKNOWN;
}

static bool has_name(const struct metrics *metrics, const char *name) {
    for (int i = 0; i < metrics->count; i++)
        if (!strcmp(metrics->list[i].name, name))
            return true;
    return false;
}

const char *metrics_add(struct metrics *metrics, const char *text) {
    static char problem[256];
    size_t length = strcspn(text, "=");
    if (!text[length] || !length || length >= METRIC_NAME)
        return "it takes NAME=REGEX, with a name of 1 to 31 characters";
    if (metrics->count == METRICS_MAX)
        return "there are too many metrics";
    struct metric *metric = &metrics->list[metrics->count];
    *metric = (struct metric){.unit = "", .source = METRIC_REGEX};
    memcpy(metric->name, text, length);
    if (has_name(metrics, metric->name))
        return "there is a metric of that name already";
    metric->sense = sense_of(metric->name);
    int error = regcomp(&metric->regex, text + length + 1, REG_EXTENDED | REG_NEWLINE);
    if (error) {
        regerror(error, &metric->regex, problem, sizeof problem);
        return problem;
    }
    if (!metric->regex.re_nsub) {
        regfree(&metric->regex);
        return "the expression has no group ( ) around the number";
    }
    metrics->count++;
    return NULL;
}

const char *metrics_add_ready_made(struct metrics *metrics, enum metric_source source) {
    static const struct {
        const char *name, *unit;
    } fields[] = {{"iops", ""}, {"latency_avg", "ms"}, {"latency_max", "ms"}};
    for (int i = 0; i < 3; i++) {
        if (metrics->count == METRICS_MAX)
            return "there are too many metrics";
        if (has_name(metrics, fields[i].name))
            return "there is a metric of the same name (iops, latency_avg or latency_max) already";
        struct metric *metric = &metrics->list[metrics->count++];
        *metric = (struct metric){
            .unit = fields[i].unit, .sense = i ? LESS_IS_BETTER : MORE_IS_BETTER, .source = source, .field = i};
        strcpy(metric->name, fields[i].name);
    }
    return NULL;
}

/* The first match whose group is a number. */
static bool by_regex(const struct metric *metric, const char *output, double *value) {
    regmatch_t match[2];
    for (const char *from = output;
         regexec(&metric->regex, from, 2, match, from == output || from[-1] == '\n' ? 0 : REG_NOTBOL) == 0;) {
        char text[64], *end;
        if (match[1].rm_so >= 0) {
            snprintf(text, sizeof text, "%.*s", (int)(match[1].rm_eo - match[1].rm_so), from + match[1].rm_so);
            *value = strtod(text, &end);
            if (end != text && isfinite(*value))
                return true;
        }
        from += match[0].rm_eo > 0 ? match[0].rm_eo : 1;
        if (from > output && from[-1] == 0)
            break;
    }
    return false;
}

const char *metrics_take(const struct metrics *metrics, const char *output, double *values) {
    for (int i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->list[i];
        struct metric_io io;
        bool found = metric->source == METRIC_REGEX ? by_regex(metric, output, &values[i])
                     : metric->source == METRIC_FIO ? fio_output(output, &io)
                                                    : rados_output(output, &io);
        if (!found)
            return metric->name;
        if (metric->source != METRIC_REGEX)
            values[i] = metric->field == 0 ? io.iops : metric->field == 1 ? io.latency_avg : io.latency_max;
    }
    return NULL;
}
