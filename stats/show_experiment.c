#include "stats/show_experiment.h"
#include "preload/cache.h"
#include "stats/experiment.h"

typedef unsigned long long ull;

static const char *const arm_names[ARMS] = {"control", "cached"};
static const char *const kind_names[] = {"ab", "both-bare", "both-cached"};

/* It is large; the helper is the only one that asks. */
static const struct experiment_counts *sum_now(void) {
    static struct experiment_counts *sum;
    if (!sum)
        sum = root_pages(sizeof *sum);
    if (sum)
        experiment_sum(sum);
    return sum;
}

static void size_name(char *name, size_t size, unsigned class) {
    if (experiment_size_limits[class])
        snprintf(name, size, "%u", experiment_size_limits[class]);
    else
        snprintf(name, size, "more");
}

static void add_state(struct text *t, const struct experiment_state *s, const struct experiment_counts *sum) {
    text_add(t, "running: %s\nshare: %g\nkind: %s\nelapsed: %.3f s\n", s->running ? "yes" : "no", s->plan.share,
             kind_names[s->plan.kind], s->elapsed);
    text_add(t, "cost of measuring: %llu ns (from the slot on), %llu ns (from the create on), %llu ns CPU\n",
             (ull)s->overhead.keyed, (ull)s->overhead.alone, (ull)s->overhead.cpu);
    text_add(t, "operations: %llu control, %llu cached, %llu discarded\n", (ull)sum->arms[ARM_CONTROL].operations,
             (ull)sum->arms[ARM_CACHED].operations, (ull)sum->discarded);
}

static void add_row(struct text *t, int arm, int direction, unsigned class, const struct histogram *h) {
    char limit[16];
    size_name(limit, sizeof limit, class);
    text_add(t, "%-8s %-8s %7s %12llu %10llu %8llu %8llu %8llu %10llu\n", arm_names[arm],
             experiment_directions[direction], limit, (ull)h->count, (ull)(h->sum / h->count),
             (ull)histogram_quantile(h, 0.5), (ull)histogram_quantile(h, 0.9), (ull)histogram_quantile(h, 0.99),
             (ull)h->max);
}

void show_experiment(struct text *t) {
    struct experiment_state state = experiment_state();
    const struct experiment_counts *sum = sum_now();
    if (!state.number || !sum) {
        text_add(t, "there was no experiment yet: ab 0.5 for 30 starts one\n");
        return;
    }
    add_state(t, &state, sum);
    text_add(t, "%-8s %-8s %7s %12s %10s %8s %8s %8s %10s (ns)\n", "arm", "does", "bytes<=", "operations", "mean",
             "p50", "p90", "p99", "max");
    for (int direction = 0; direction < DIRECTIONS; direction++)
        for (unsigned class = 0; class < EXPERIMENT_SIZES; class ++)
            for (int arm = 0; arm < ARMS; arm++)
                if (sum->arms[arm].wall[direction][class].count)
                    add_row(t, arm, direction, class, &sum->arms[arm].wall[direction][class]);
}

static void add_class_json(struct text *t, const char *comma, int direction, unsigned class,
                           const struct histogram *h) {
    char limit[16];
    const char *between = "";
    size_name(limit, sizeof limit, class);
    text_add(t, "%s{\"direction\":\"%s\",\"size\":\"%s\",\"count\":%llu,\"sum\":%llu,\"max\":%llu,\"buckets\":[", comma,
             experiment_directions[direction], limit, (ull)h->count, (ull)h->sum, (ull)h->max);
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++)
        if (h->buckets[i]) {
            text_add(t, "%s[%llu,%llu,%llu]", between, (ull)histogram_lower(i), (ull)histogram_lower(i + 1),
                     (ull)h->buckets[i]);
            between = ",";
        }
    text_add(t, "]}");
}

static void add_arm_json(struct text *t, int arm, const struct experiment_arm_counts *c) {
    const char *comma = "";
    text_add(t, "{\"arm\":\"%s\",\"operations\":%llu,\"keyed\":%llu,\"calls\":%llu,\"bytes\":%llu", arm_names[arm],
             (ull)c->operations, (ull)c->keyed, (ull)c->calls, (ull)c->bytes);
    text_add(t, ",\"cpu\":{\"count\":%llu,\"sum\":%llu,\"squares\":%llu},\"classes\":[", (ull)c->cpu_count,
             (ull)c->cpu_sum, (ull)c->cpu_squares);
    for (int direction = 0; direction < DIRECTIONS; direction++)
        for (unsigned class = 0; class < EXPERIMENT_SIZES; class ++)
            if (c->wall[direction][class].count) {
                add_class_json(t, comma, direction, class, &c->wall[direction][class]);
                comma = ",";
            }
    text_add(t, "]}");
}

/* cpu.squares is in units of 1024 ns^2. */
void show_experiment_json(struct text *t) {
    struct experiment_state s = experiment_state();
    const struct experiment_counts *sum = sum_now();
    if (!sum) {
        text_add(t, "error: no memory\n");
        return;
    }
    text_add(t, "{\"schema\":1,\"number\":%u,\"running\":%s,\"share\":%g,\"kind\":\"%s\",\"elapsed\":%.6f", s.number,
             s.running ? "true" : "false", s.plan.share, kind_names[s.plan.kind], s.elapsed);
    text_add(t, ",\"overhead\":{\"keyed\":%llu,\"alone\":%llu,\"cpu\":%llu},\"discarded\":%llu,\"arms\":[",
             (ull)s.overhead.keyed, (ull)s.overhead.alone, (ull)s.overhead.cpu, (ull)sum->discarded);
    add_arm_json(t, ARM_CONTROL, &sum->arms[ARM_CONTROL]);
    text_add(t, ",");
    add_arm_json(t, ARM_CACHED, &sum->arms[ARM_CACHED]);
    text_add(t, "]}\n");
}
