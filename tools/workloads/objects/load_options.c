#include "content.h"
#include "load.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct load_options option = {
    .connections = 4, .depth = 16, .objects = 64, .read_percent = 70, .bytes = 4096, .seconds = 0};

enum { OBJECTS = 256, RATE, PING, FAULT };

static unsigned long number(struct argp_state *state, const char *name, const char *text, unsigned long low,
                            unsigned long high) {
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value < low || value > high)
        argp_failure(state, 2, 0, "%s takes a whole number from %lu to %lu, not \"%s\"", name, low, high, text);
    return value;
}

static double positive(struct argp_state *state, const char *name, const char *text, double high) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value <= high))
        argp_failure(state, 2, 0, "%s takes a number above 0, up to %.0f, not \"%s\"", name, high, text);
    return value;
}

/* "read", "write", or "70/30". */
static unsigned read_percent(struct argp_state *state, const char *text) {
    char *end;
    unsigned long reads, writes = 0;
    if (!strcmp(text, "read") || !strcmp(text, "write"))
        return *text == 'r' ? 100 : 0;
    reads = strtoul(text, &end, 10);
    if (end != text && *end == '/')
        writes = strtoul(end + 1, &end, 10);
    if (*end || reads > 100 || reads + writes != 100)
        argp_failure(state, 2, 0, "--mix is read, write, or two numbers that make 100 as 70/30, not \"%s\"", text);
    return (unsigned)reads;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    switch (key) {
    case 'a':
        option.address = arg;
        break;
    case 's':
        if (!signing_named(&option.signing, arg))
            argp_failure(state, 2, 0, "--signing is none, hammer, infernalis or openssl, not \"%s\"", arg);
        break;
    case 'k':
        if (!signing_secret(&option.signing, arg))
            argp_failure(state, 2, 0, "--key takes 32 hexadecimal digits");
        break;
    case 'c':
        option.connections = (unsigned)number(state, "--connections", arg, 1, CONNECTIONS_MAX);
        break;
    case 'd':
        option.depth = (unsigned)number(state, "--depth", arg, 1, DEPTH_MAX);
        break;
    case 'b':
        option.bytes = (uint32_t)number(state, "--bytes", arg, CONTENT_MIN, FRAME_DATA_MAX);
        break;
    case 'm':
        option.read_percent = read_percent(state, arg);
        break;
    case 'n':
        option.ops = number(state, "--ops", arg, 1, 1000000000000);
        break;
    case 't':
        option.seconds = positive(state, "--seconds", arg, 86400);
        break;
    case 'j':
        option.json = true;
        break;
    case OBJECTS:
        option.objects = (unsigned)number(state, "--objects", arg, 1, 1000000);
        break;
    case RATE:
        option.rate = positive(state, "--rate", arg, 1e7);
        break;
    case PING:
        option.ping = true;
        break;
    case FAULT:
        option.fault = true;
        break;
    case ARGP_KEY_ARG:
        argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        break;
    case ARGP_KEY_END:
        if (!option.address)
            argp_failure(state, 2, 0, "where is the server? --connect PATH or PORT");
        if (option.ops && option.seconds > 0)
            argp_failure(state, 2, 0, "--ops and --seconds exclude each other");
        if (option.depth < option.connections)
            argp_failure(state, 2, 0, "--depth, of all connections, is at least their number, %u", option.connections);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void load_options_parse(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"connect", 'a', "ADDRESS", 0, "the server's socket, a path with a slash in it, or its port on 127.0.0.1", 0},
        {"signing", 's', "ERA", 0,
         "none, hammer or infernalis: whose NSS calls sign and check (hammer); openssl: the same, cheaply", 0},
        {"key", 'k', "HEX", 0, "the secret that server and client have in common, 32 digits", 0},
        {"connections", 'c', "N", 0, "connections, each with a thread (4)", 0},
        {"depth", 'd', "N", 0, "requests under way, of all connections (16)", 0},
        {"mix", 'm', "READ/WRITE", 0, "read, write, or the percents of both (70/30)", 0},
        {"bytes", 'b', "N", 0, "size of an object (4096)", 0},
        {"objects", OBJECTS, "N", 0, "objects of each connection (64)", 0},
        {"ops", 'n', "N", 0, "requests in all", 0},
        {"seconds", 't', "S", 0, "or: seconds (5)", 0},
        {"rate", RATE, "N", 0, "requests a second in all, at fixed times; latencies then count from the intended time",
         0},
        {"json", 'j', NULL, 0, "print one line of JSON", 0},
        {"ping", PING, NULL, 0, "only connect and authenticate: is the server ready?", 0},
        {"fault", FAULT, NULL, 0, "for tests: a wrong signature in one request of a hundred", 0},
        {0}};
    static const struct argp argp = {arguments,
                                     parse,
                                     NULL,
                                     "Load the object server and check all that it answers.\vExit status: 0 fine, 1 "
                                     "when a request failed or had wrong "
                                     "data, 2 bad usage.",
                                     NULL,
                                     NULL,
                                     NULL};
    argp_err_exit_status = 2;
    signing_named(&option.signing, "hammer");
    signing_default(&option.signing);
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    if (!option.ops && !(option.seconds > 0))
        option.seconds = 5;
}
