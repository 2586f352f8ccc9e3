#include "load.h"

#include <stdio.h>

static const struct {
    const char *name, *json;
    double share;
} quantiles[] = {{"p50", "p50", 0.5}, {"p90", "p90", 0.9}, {"p99", "p99", 0.99}, {"p99.9", "p99_9", 0.999}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

static double per(double what, double number) {
    return number > 0 ? what / number : 0;
}

static double server_cpu_us(const struct load_result *r) {
    return per((double)(r->server.user_us + r->server.system_us), (double)r->server.requests);
}

static void print_json(const struct load_result *r) {
    double ops = (double)r->latency.count;
    printf("{\"signing\":\"%s\",\"read_percent\":%u,\"bytes\":%u,\"connections\":%u,\"depth\":%u,\"rate\":%g,"
           "\"seconds\":%.6f,\"ops\":%.0f,\"iops\":%.1f,\"latency_us\":{\"from\":\"%s\",\"mean\":%.3f",
           signing_name(&option.signing), option.read_percent, option.bytes, option.connections, option.depth,
           option.rate, r->seconds, ops, per(ops, r->seconds), option.rate > 0 ? "intended send" : "send",
           latency_mean(&r->latency) / 1e3);
    for (int i = 0; i < QUANTILES; i++)
        printf(",\"%s\":%.3f", quantiles[i].json, latency_quantile(&r->latency, quantiles[i].share) / 1e3);
    printf(",\"max\":%.3f},\"all_phases\":{\"reads\":%llu,\"writes\":%llu},\"failed\":%llu,\"wrong\":%llu,"
           "\"load_cpu_us_per_request\":%.3f,\"server\":{\"requests\":%llu,\"cpu_user_us\":%llu,\"cpu_system_us\":%llu,"
           "\"cpu_us_per_request\":%.3f}}\n",
           (double)r->latency.max_ns / 1e3, (unsigned long long)r->counts.reads, (unsigned long long)r->counts.writes,
           (unsigned long long)r->counts.failed, (unsigned long long)r->counts.wrong, per(r->own_cpu_us, ops),
           (unsigned long long)r->server.requests, (unsigned long long)r->server.user_us,
           (unsigned long long)r->server.system_us, server_cpu_us(r));
}

static void print_text(const struct load_result *r) {
    double ops = (double)r->latency.count;
    printf("%u/%u reads/writes of %u bytes, %u connections, depth %u, signing %s: %.0f requests in %.3f s\n",
           option.read_percent, 100 - option.read_percent, option.bytes, option.connections, option.depth,
           signing_name(&option.signing), ops, r->seconds);
    printf("IOPS: %.0f\n", per(ops, r->seconds));
    if (option.rate > 0)
        printf("asked for: %.0f requests a second; a latency counts from the time a request was meant to be sent\n",
               option.rate);
    printf("latency (us): average %.1f", latency_mean(&r->latency) / 1e3);
    for (int i = 0; i < QUANTILES; i++)
        printf(", %s %.1f", quantiles[i].name, latency_quantile(&r->latency, quantiles[i].share) / 1e3);
    printf(", max %.1f\n", (double)r->latency.max_ns / 1e3);
    printf("CPU per request (us): server %.2f, load %.2f\n", server_cpu_us(r), per(r->own_cpu_us, ops));
    printf("failed: %llu, wrong: %llu (of %llu reads and %llu writes in all phases)\n",
           (unsigned long long)r->counts.failed, (unsigned long long)r->counts.wrong,
           (unsigned long long)r->counts.reads, (unsigned long long)r->counts.writes);
}

void load_report(const struct load_result *result) {
    if (option.json)
        print_json(result);
    else
        print_text(result);
}
