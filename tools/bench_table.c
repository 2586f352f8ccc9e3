#include "bench.h"
#include "command.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

static void machine(FILE *to, const char *nss_version) {
    char line[512], model[256] = "unknown CPU";
    FILE *info = fopen("/proc/cpuinfo", "re");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %255[^\n]", model) == 1)
            break;
    if (info)
        fclose(info);
    fprintf(to, "%s, NSS %s; median time per operation in ns (share of bare)\n", model, nss_version);
}

static void head(FILE *to, const struct cell *cell) {
    fprintf(to, "\n%s, %s\n%6s %3s", cell->sequence, cell->decrypt ? "decrypt" : "encrypt", "bytes", "thr");
    for (int arm = 0; arm < ARMS; arm++)
        if (cell->beside[arm])
            fprintf(to, " %13s", arm_names[arm]);
    fprintf(to, "   preload is\n");
}

static void row(FILE *to, const struct cell *cell) {
    double bare = cell->beside[BARE]->ns;
    fprintf(to, "%6d %3d", cell->bytes, cell->threads);
    for (int arm = 0; arm < ARMS; arm++) {
        char text[40];
        if (!cell->beside[arm])
            continue;
        double ns = cell->beside[arm]->ns;
        if (arm == BARE)
            snprintf(text, sizeof text, "%.0f", ns);
        else
            snprintf(text, sizeof text, "%.0f (%.3f)", ns, ns / bare);
        fprintf(to, " %13s", text);
    }
    fprintf(to, "   %.1f times as fast\n", bare / cell->beside[PRELOAD]->ns);
}

void bench_table(FILE *to, const struct cell *cells, int count, const char *nss_version) {
    machine(to, nss_version);
    for (int i = 0; i < count; i++) {
        bool same = i && !strcmp(cells[i].sequence, cells[i - 1].sequence) && cells[i].decrypt == cells[i - 1].decrypt;
        if (!same)
            head(to, &cells[i]);
        row(to, &cells[i]);
    }
}

bool bench_json(const char *file, const struct cell *cells, int count) {
    json_t *results = json_array();
    for (int i = 0; i < count; i++)
        for (int arm = 0; arm < ARMS; arm++) {
            const struct run *run = cells[i].beside[arm];
            if (run)
                json_array_append_new(
                    results, json_pack("{s:s,s:s,s:i,s:i,s:s,s:f,s:f,s:f}", "sequence", cells[i].sequence, "op",
                                       cells[i].decrypt ? "decrypt" : "encrypt", "bytes", cells[i].bytes, "threads",
                                       cells[i].threads, "arm", arm_names[arm], "ns_per_op", run->ns, "cpu_ns_per_op",
                                       run->cpu_ns, "ratio_to_bare", run->ns / cells[i].beside[BARE]->ns));
        }
    json_t *root = json_pack("{s:i,s:o}", "schema", 1, "results", results);
    const size_t flags = JSON_INDENT(1) | JSON_REAL_PRECISION(6);
    bool fine = root && (strcmp(file, "-") ? json_dump_file(root, file, flags) : json_dumpf(root, stdout, flags)) == 0;
    if (!fine)
        complain("%s can't be written: %s", file, strerror(errno));
    json_decref(root);
    return fine;
}
