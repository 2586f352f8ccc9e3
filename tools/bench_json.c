/* What `pk11cache bench` found, as JSON: schema 1. */
#include "bench.h"
#include "command.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

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
    if (!strcmp(file, "-"))
        putchar('\n');
    if (!fine)
        complain("%s can't be written: %s", file, strerror(errno));
    json_decref(root);
    return fine;
}
