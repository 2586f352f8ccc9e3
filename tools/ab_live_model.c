/* Reading what the library measured, and comparing the arms. */
#include "ab_live.h"
#include "command.h"

#include <math.h>
#include <string.h>

static uint64_t whole(json_t *object, const char *name) {
    json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (uint64_t)value : 0;
}

static bool read_buckets(struct histogram *h, json_t *class) {
    size_t i;
    json_t *bucket;
    double before = h->sum;
    json_array_foreach(json_object_get(class, "buckets"), i, bucket) {
        json_int_t lower = json_integer_value(json_array_get(bucket, 0));
        json_int_t count = json_integer_value(json_array_get(bucket, 2));
        if (lower < 0 || count < 1)
            return false;
        histogram_add_bucket(h, histogram_index((uint64_t)lower), (uint64_t)count);
    }
    h->sum = before + (double)whole(class, "sum"); /* exact, better than the buckets' middles */
    uint64_t max = whole(class, "max");
    h->max = max > h->max ? max : h->max;
    return true;
}

static struct live_class *class_of(struct live_result *r, json_t *class) {
    const char *direction = json_string_value(json_object_get(class, "direction"));
    const char *size = json_string_value(json_object_get(class, "size"));
    if (!direction || !size)
        return NULL;
    for (int i = 0; i < r->classes_count; i++)
        if (!strcmp(r->classes[i].direction, direction) && !strcmp(r->classes[i].size, size))
            return &r->classes[i];
    if (r->classes_count == LIVE_CLASSES)
        return NULL;
    struct live_class *fresh = &r->classes[r->classes_count++];
    snprintf(fresh->direction, sizeof fresh->direction, "%s", direction);
    snprintf(fresh->size, sizeof fresh->size, "%s", size);
    return fresh;
}

static double overhead_of(const struct live_arm *arm, json_t *overhead) {
    double keyed = arm->operations ? (double)arm->keyed / (double)arm->operations : 0;
    return keyed * (double)whole(overhead, "keyed") + (1 - keyed) * (double)whole(overhead, "alone");
}

/* `squares` comes in units of 1024 ns^2. */
static void read_cpu(struct live_arm *arm, json_t *cpu, json_t *overhead) {
    double n = (double)whole(cpu, "count"), sum = (double)whole(cpu, "sum");
    arm->cpu_count = whole(cpu, "count");
    arm->cpu = n > 0 ? sum / n - (double)whole(overhead, "cpu") : NAN;
    arm->cpu_deviation = n > 1 ? sqrt(fmax(0, (double)whole(cpu, "squares") * 1024 / n - sum / n * (sum / n))) : NAN;
}

static bool read_arm(struct live_result *r, json_t *object, enum ab_arm which, json_t *overhead) {
    struct live_arm *arm = &r->arms[which];
    size_t i;
    json_t *json;
    arm->operations = whole(object, "operations");
    arm->keyed = whole(object, "keyed");
    arm->calls = whole(object, "calls");
    arm->bytes = whole(object, "bytes");
    arm->all.overhead = overhead_of(arm, overhead);
    read_cpu(arm, json_object_get(object, "cpu"), overhead);
    json_array_foreach(json_object_get(object, "classes"), i, json) {
        struct live_class *class = class_of(r, json);
        if (!class || !read_buckets(&class->arms[which], json))
            return false;
        class->arms[which].overhead = arm->all.overhead;
        histogram_merge(&arm->all, &class->arms[which]);
    }
    return true;
}

bool live_read(struct live_result *r, const char *answer) {
    json_error_t error;
    *r = (struct live_result){.raw = json_loads(answer, 0, &error)};
    json_t *arms = json_object_get(r->raw, "arms"), *overhead = json_object_get(r->raw, "overhead");
    const char *kind = json_string_value(json_object_get(r->raw, "kind"));
    if (!r->raw || json_integer_value(json_object_get(r->raw, "schema")) != 1 || json_array_size(arms) != AB_ARMS ||
        !kind) {
        complain("the answer to \"show ab json\" is not what this version understands");
        live_free(r);
        return false;
    }
    r->running = json_is_true(json_object_get(r->raw, "running"));
    r->share = json_number_value(json_object_get(r->raw, "share"));
    r->elapsed = json_number_value(json_object_get(r->raw, "elapsed"));
    r->discarded = whole(r->raw, "discarded");
    snprintf(r->kind, sizeof r->kind, "%s", kind);
    if (read_arm(r, json_array_get(arms, 0), WITHOUT, overhead) && read_arm(r, json_array_get(arms, 1), WITH, overhead))
        return true;
    complain("the answer to \"show ab json\" has a part that can't be read");
    live_free(r);
    return false;
}

void live_free(struct live_result *r) {
    json_decref(r->raw);
    *r = (struct live_result){0};
}

/* The verdict's interval is at 95 %; the two others share what is left by Bonferroni's rule. */
bool live_compare(struct live_result *r, uint64_t seed, size_t resamples) {
    struct random_source source = {seed};
    double corrected = bonferroni_confidence(0.95, LIVE_FIGURES - 1);
    r->figures[LIVE_P50] = (struct histogram_comparison){.share = 0.5, .confidence = 0.95};
    r->figures[LIVE_P99] = (struct histogram_comparison){.share = 0.99, .confidence = corrected};
    r->figures[LIVE_MEAN] = (struct histogram_comparison){.share = HISTOGRAM_MEAN, .confidence = corrected};
    r->compared =
        r->arms[WITHOUT].all.total && r->arms[WITH].all.total &&
        histogram_compare(&r->arms[WITHOUT].all, &r->arms[WITH].all, r->figures, LIVE_FIGURES, resamples, &source);
    return r->compared;
}

struct live_saving live_saving(const struct live_result *r, const struct live_context *context) {
    struct live_saving saving = {NAN, NAN, NAN};
    uint64_t operations = r->arms[WITHOUT].operations + r->arms[WITH].operations;
    double each = r->arms[WITHOUT].cpu - r->arms[WITH].cpu;
    if (r->elapsed <= 0 || isnan(each))
        return saving;
    saving.rate = (double)operations / r->elapsed;
    saving.per_second = each * saving.rate / 1e6;
    double bare = context->cpu_used + (double)r->arms[WITH].operations * each / 1e9;
    if (bare > 0)
        saving.share = (double)operations * each / 1e9 / bare;
    return saving;
}

bool live_verdict(const struct live_result *r, char *text, size_t size) {
    const struct interval *ratio = &r->figures[LIVE_P50].ratio;
    if (!r->compared || isnan(ratio->estimate)) {
        snprintf(text, size, "No verdict: there was no operation in %s.",
                 r->arms[WITHOUT].all.total ? "the cached arm"
                 : r->arms[WITH].all.total  ? "the control arm"
                                            : "either arm");
        return false;
    }
    if (ratio->low <= 1 && ratio->high >= 1)
        snprintf(text, size,
                 "No difference shown: the median with the cache is %.3f of that without (95 %%: %.3f to %.3f).",
                 ratio->estimate, ratio->low, ratio->high);
    else
        snprintf(
            text, size,
            "The cache makes an operation %s: its median takes %.3f of the time without (95 %%: %.3f to %.3f)%s%.1f%s.",
            ratio->estimate < 1 ? "faster" : "slower", ratio->estimate, ratio->low, ratio->high,
            ratio->estimate < 1 ? ", it is " : ", ", ratio->estimate < 1 ? 1 / ratio->estimate : ratio->estimate,
            ratio->estimate < 1 ? " times as fast" : " times as slow");
    return true;
}
