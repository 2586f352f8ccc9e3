/* load.h - the load generator's parts.
 *
 * A connection has one thread, its own objects, and its share of the queue depth. It goes through phases: write every
 * object once, warm up, measure, read every object back. */
#ifndef OBJECTS_LOAD_H
#define OBJECTS_LOAD_H

#include "channel.h"
#include "latency.h"
#include "signer.h"

struct load_options {
    const char *address;
    struct signing signing;
    unsigned connections, depth, objects, read_percent; /* depth: of all connections; objects: of each */
    uint32_t bytes;
    uint64_t ops;   /* in all; 0: by time */
    double seconds; /* where ops is 0 */
    double rate;    /* requests a second in all; 0: as fast as the depth allows */
    bool json, ping, fault;
};

extern struct load_options option;

enum { CONNECTIONS_MAX = 256, DEPTH_MAX = 1024 };

/* Parse into `option`; ends the program with 2 at a bad argument. */
void load_options_parse(int argc, char **argv);

enum load_order { ORDER_WRITE_ALL, ORDER_MIX, ORDER_READ_ALL };

struct phase {
    enum load_order order;
    uint64_t limit; /* requests */
    uint64_t start_ns, until_ns;
    double interval_ns; /* between intended sends; 0: send when there is room in the queue */
    bool measured;
};

struct load_counts {
    uint64_t reads, writes; /* done and right */
    uint64_t failed, wrong; /* refused, lost or never sent; answered with wrong data or a wrong signature */
};

struct load_connection;

/* Connect and shake hands. NULL after a message. `number` is below option.connections for those that run phases. */
struct load_connection *load_open(unsigned number);
void load_close(struct load_connection *connection);

/* Run a phase to its end: all that was sent is answered or has failed. False when the connection is lost; a message has
 * said why. */
bool load_run(struct load_connection *connection, const struct phase *phase);

/* The counts are of all phases, the latencies and the last reply's time of the measured one. */
const struct load_counts *load_counts(const struct load_connection *connection);
const struct latency *load_latency(const struct load_connection *connection);
uint64_t load_last_ns(const struct load_connection *connection);

/* Ask the server what it has used. False after a message. */
bool load_usage(struct load_connection *connection, struct usage *usage);

uint64_t load_now(void); /* CLOCK_MONOTONIC, ns */

/* What was measured, as text or as one line of JSON, to standard output. */
struct load_result {
    struct load_counts counts;  /* of all phases */
    double seconds, own_cpu_us; /* of the measured phase, as the rest */
    struct usage server;        /* what the server used for it */
    struct latency latency;     /* counts every answer */
};

void load_report(const struct load_result *result);

#endif
