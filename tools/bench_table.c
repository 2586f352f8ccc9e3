/* What `pk11cache bench` found, as a table of at most 100 columns. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* A column's head has two lines. */
static const struct {
    const char *upper, *lower;
} heads[ARMS] = {{"bare", ""},       {"preload", ""},    {"preload", "reset"}, {"source", "reuse"},
                 {"openssl", "evp"}, {"openssl", "aes"}, {"crypto++", ""}};

static void machine(FILE *to, const char *nss_version) {
    char line[512], model[256] = "unknown CPU";
    FILE *info = fopen("/proc/cpuinfo", "re");
    while (info && fgets(line, sizeof line, info))
        if (sscanf(line, "model name : %255[^\n]", model) == 1)
            break;
    if (info)
        fclose(info);
    fprintf(to, "%.70s, NSS %s\n", model, nss_version);
    fprintf(to, "ns per operation (medians), and the share of bare; last: preload is how many times as fast as bare\n");
}

static void head(FILE *to, const struct cell *cell) {
    int last = ARMS - 1;
    while (!cell->beside[last])
        last--;
    fprintf(to, "\n%s, %s\n%-11s", cell->sequence, cell->decrypt ? "decrypt" : "encrypt", "bytes thr");
    for (int arm = 0; arm <= last; arm++)
        if (cell->beside[arm])
            fprintf(to, arm == BARE ? "%6s" : "%12s", heads[arm].upper);
    fprintf(to, "\n%-17s", "");
    while (!*heads[last].lower)
        last--;
    for (int arm = PRELOAD; arm <= last; arm++)
        if (cell->beside[arm])
            fprintf(to, "%12s", heads[arm].lower);
    fputc('\n', to);
}

static void row(FILE *to, const struct cell *cell) {
    double bare = cell->beside[BARE]->ns;
    fprintf(to, "%5d %3d  ", cell->bytes, cell->threads);
    for (int arm = 0; arm < ARMS; arm++) {
        if (!cell->beside[arm])
            continue;
        double ns = cell->beside[arm]->ns;
        if (arm == BARE)
            fprintf(to, "%6.0f", ns);
        else
            fprintf(to, "%6.0f %.3f", ns, ns / bare);
    }
    fprintf(to, "%6.1f x\n", bare / cell->beside[PRELOAD]->ns);
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
