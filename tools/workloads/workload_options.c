#include "workload_options.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct workload_options option = {.bytes = 128, .threads = 1, .keys = 1};

static long number(struct argp_state *state, const char *name, const char *text, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high)
        argp_failure(state, 2, 0, "%s takes a whole number from %ld to %ld, not \"%s\"", name, low, high, text);
    return value;
}

static double duration(struct argp_state *state, const char *text) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0 && value <= 86400))
        argp_failure(state, 2, 0, "--seconds takes a number above 0, up to 86400, not \"%s\"", text);
    return value;
}

static bool decrypts(struct argp_state *state, const char *text) {
    if (strcmp(text, "encrypt") && strcmp(text, "decrypt"))
        argp_failure(state, 2, 0, "--op is encrypt or decrypt, not \"%s\"", text);
    return strcmp(text, "decrypt") == 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    bool padded = *(bool *)state->input;
    switch (key) {
    case 'o':
        option.decrypt = decrypts(state, arg);
        break;
    case 'b':
        option.bytes = number(state, "--bytes", arg, 0, BYTES_MAX);
        break;
    case 't':
        option.threads = number(state, "--threads", arg, 1, THREADS_MAX);
        break;
    case 'k':
        option.keys = number(state, "--keys", arg, 1, KEYS_MAX);
        break;
    case 'n':
        option.ops = number(state, "--ops", arg, 1, 1000000000);
        break;
    case 's':
        option.seconds = duration(state, arg);
        break;
    case 'c':
        option.check = true;
        break;
    case 'j':
        option.json = true;
        break;
    case ARGP_KEY_ARG:
        argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        break;
    case ARGP_KEY_END:
        if (option.ops && option.seconds > 0)
            argp_failure(state, 2, 0, "--ops and --seconds exclude each other");
        if (!padded && option.bytes % 16)
            argp_failure(state, 2, 0, "without padding, --bytes is a multiple of 16, not %ld", option.bytes);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void workload_options_parse(int argc, char **argv, bool padded) {
    static const struct argp_option arguments[] = {
        {"op", 'o', "encrypt|decrypt", 0, "what to do (encrypt)", 0},
        {"bytes", 'b', "N", 0, "length of the plain text (128)", 0},
        {"threads", 't', "N", 0, "threads (1)", 0},
        {"keys", 'k', "N", 0, "keys, used in turn by each thread (1)", 0},
        {"ops", 'n', "N", 0, "operations per thread", 0},
        {"seconds", 's', "S", 0, "or: seconds (1)", 0},
        {"check", 'c', NULL, 0, "compare every output with OpenSSL's, not only the first and last", 0},
        {"json", 'j', NULL, 0, "print one line of JSON", 0},
        {0}};
    static const struct argp argp = {arguments, parse, NULL, "Run a daemon's NSS call sequence and time it.",
                                     NULL,      NULL,  NULL};
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, &padded);
    if (!option.ops && !(option.seconds > 0))
        option.seconds = 1;
}
