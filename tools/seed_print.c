#include "command.h"
#include "seed.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *title, *json;
    int digits;
} figures[SEED_FIGURES] = {{"CPU of the server per request (us)", "cpu_us_per_request", 2},
                           {"IOPS", "iops", 0},
                           {"average latency (us)", "latency_us", 0}};
static const char *const eras[SEED_ERAS] = {"hammer", "infernalis"};

static void print_closed(FILE *to, double share) {
    if (isnan(share))
        fprintf(to, "%10s", "no gap");
    else
        fprintf(to, "%8.0f %%", share);
}

static void print_row(FILE *to, const struct seed *seed, int depth, enum seed_figure figure) {
    int digits = figures[figure].digits;
    fprintf(to, "%5d%12.*f  ", seed->depths[depth], digits, seed_median(seed, depth, ARM_NONE, figure));
    for (enum seed_era era = 0; era < SEED_ERAS; era++) {
        enum seed_arm bare = era == ERA_HAMMER ? HAMMER_BARE : INFERNALIS_BARE;
        fprintf(to, "%10.*f%10.*f", digits, seed_median(seed, depth, bare, figure), digits,
                seed_median(seed, depth, bare + 1, figure));
        print_closed(to, seed_closed(seed, depth, era, figure));
        fputs(era == ERA_HAMMER ? "  " : "", to);
    }
    fputc('\n', to);
}

/* All depths together, with the spread of the rounds. */
static void print_all(FILE *to, const struct seed *seed, enum seed_figure figure) {
    fprintf(to, "all depths, share of the gap closed:");
    for (enum seed_era era = 0; era < SEED_ERAS; era++) {
        double lower, upper;
        seed_closed_quartiles(seed, -1, era, figure, &lower, &upper);
        fprintf(to, "%s %s ", era ? "," : "", eras[era]);
        if (isnan(lower))
            fprintf(to, "no gap");
        else
            fprintf(to, "%.0f %% (half of the rounds: %.0f to %.0f)", seed_closed(seed, -1, era, figure), lower, upper);
    }
    fputc('\n', to);
}

void seed_print(FILE *to, const struct seed *seed) {
    fprintf(to, "Object server, 4 KiB, %s reads/writes, NSS %s; medians of %d rounds; the load signs by %s%s\n",
            seed->mix, seed->nss_version, seed->rounds, seed->same_client ? "the server's NSS calls, bare" : "OpenSSL",
            seed->pinned ? "; server and load on a processor each" : "");
    if (seed->rate > 0)
        fprintf(to, "at %.0f requests a second, so that only the CPU and the latency can differ\n", seed->rate);
    for (enum seed_figure figure = 0; figure < SEED_FIGURES; figure++) {
        if (seed->rate > 0 && figure == FIGURE_IOPS)
            continue; /* all arms have the same */
        fprintf(to, "\n%s\n%5s%12s  %10s%10s%10s  %10s%10s%10s\n", figures[figure].title, "depth", "no signing",
                "hammer", "preload", "closed", "infernalis", "preload", "closed");
        for (int depth = 0; depth < seed->depths_count; depth++)
            print_row(to, seed, depth, figure);
        print_all(to, seed, figure);
    }
    fprintf(to,
            "\nclosed: the share of the gap between signing and no signing that the preload gives back.\n"
            "The cache served at least %.2f %% of the preloaded servers' calls.\n",
            100 * seed->hit_share);
}

static json_t *number_or_null(double value) {
    return isnan(value) ? json_null() : json_real(value);
}

/* Every raw value of one arm. */
static json_t *arm_values(const struct seed *seed, int depth, enum seed_arm arm) {
    json_t *values = json_object();
    for (enum seed_figure figure = 0; figure < SEED_FIGURES; figure++) {
        json_t *rounds = json_array();
        for (int i = 0; i < seed->rounds; i++)
            json_array_append_new(rounds, json_real(seed->samples[depth][arm][i].figure[figure]));
        json_object_set_new(values, figures[figure].json, rounds);
    }
    return values;
}

static json_t *closed_values(const struct seed *seed, int depth) {
    json_t *closed = json_object();
    for (enum seed_era era = 0; era < SEED_ERAS; era++) {
        json_t *shares = json_object();
        for (enum seed_figure figure = 0; figure < SEED_FIGURES; figure++)
            json_object_set_new(shares, figures[figure].json, number_or_null(seed_closed(seed, depth, era, figure)));
        json_object_set_new(closed, eras[era], shares);
    }
    return closed;
}

static json_t *make_json(const struct seed *seed) {
    json_t *depths = json_array();
    for (int i = 0; i < seed->depths_count; i++) {
        json_t *arms = json_object();
        for (enum seed_arm arm = 0; arm < SEED_ARMS; arm++)
            json_object_set_new(arms, seed_arm_names[arm], arm_values(seed, i, arm));
        json_array_append_new(depths, json_pack("{s:i,s:o,s:o}", "depth", seed->depths[i], "arms", arms,
                                                "closed_percent", closed_values(seed, i)));
    }
    return json_pack("{s:i,s:s,s:s,s:s,s:f,s:i,s:f,s:b,s:f,s:o,s:o}", "schema", 1, "nss", seed->nss_version, "mix",
                     seed->mix, "load_signs_by", seed->same_client ? "nss" : "openssl", "rate", seed->rate, "rounds",
                     seed->rounds, "window_seconds", seed->seconds, "pinned", seed->pinned, "hit_share",
                     seed->hit_share, "depths", depths, "closed_percent_all_depths", closed_values(seed, -1));
}

bool seed_json(const char *file, const struct seed *seed) {
    FILE *to = strcmp(file, "-") ? fopen(file, "we") : stdout;
    json_t *root = make_json(seed);
    bool fine = to && root && json_dumpf(root, to, JSON_INDENT(1) | JSON_REAL_PRECISION(8)) == 0 && fputc('\n', to) > 0;
    if (to && to != stdout)
        fine = fclose(to) == 0 && fine;
    json_decref(root);
    if (!fine)
        complain("%s can't be written: %s", file, strerror(errno));
    return fine;
}
