/* object-server: an ordinary NSS program with the messenger of Ceph's NSS era, which checks and signs each message. It
 * stands in for an OSD where there is none. */
#include "channel.h"
#include "server.h"
#include "server_life.h"

#include <argp.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct server server;

static struct {
    const char *listen, *pid_file, *report, *log;
    bool in_background;
    unsigned threads;
} option = {.threads = 2};

enum { LOG = 256, FAULT };

static error_t parse(int key, char *arg, struct argp_state *state) {
    char *end;
    switch (key) {
    case 'l':
        option.listen = arg;
        break;
    case 's':
        if (!signing_named(&server.signing, arg) || server.signing.sequence == &sequence_openssl) /* not for threads */
            argp_failure(state, 2, 0, "--signing is none, hammer or infernalis, not \"%s\"", arg);
        break;
    case 'k':
        if (!signing_secret(&server.signing, arg))
            argp_failure(state, 2, 0, "--key takes 32 hexadecimal digits");
        break;
    case 't':
        option.threads = (unsigned)strtoul(arg, &end, 10);
        if (end == arg || *end || option.threads < 1 || option.threads > 64)
            argp_failure(state, 2, 0, "--threads takes a number from 1 to 64, not \"%s\"", arg);
        break;
    case 'd':
        option.in_background = true;
        break;
    case 'p':
        option.pid_file = arg;
        break;
    case 'r':
        option.report = arg;
        break;
    case LOG:
        option.log = arg;
        break;
    case FAULT:
        server.fault = !strcmp(arg, "signature") ? FAULT_SIGNATURE : !strcmp(arg, "data") ? FAULT_DATA : FAULT_NONE;
        if (!server.fault)
            argp_failure(state, 2, 0, "--fault is signature or data, not \"%s\"", arg);
        break;
    case ARGP_KEY_ARG:
        argp_failure(state, 2, 0, "\"%s\" is one argument too many", arg);
        break;
    case ARGP_KEY_END:
        if (!option.listen)
            argp_failure(state, 2, 0, "where shall it listen? --listen PATH or PORT");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void parse_options(int argc, char **argv) {
    static const struct argp_option arguments[] = {
        {"listen", 'l', "ADDRESS", 0, "a Unix socket's path, with a slash in it, or a TCP port on 127.0.0.1", 0},
        {"signing", 's', "ERA", 0, "none, hammer or infernalis: whose NSS calls check and sign the messages (hammer)",
         0},
        {"key", 'k', "HEX", 0, "the secret that server and client have in common, 32 digits", 0},
        {"threads", 't', "N", 0, "threads of the dispatch pool (2)", 0},
        {"daemon", 'd', NULL, 0, "go into the background; the command ends when the server takes connections", 0},
        {"pid-file", 'p', "FILE", 0, "write the process number to FILE; it is there when the server takes connections",
         0},
        {"log", LOG, "FILE", 0, "with --daemon: append messages to FILE", 0},
        {"report", 'r', "FILE", 0, "at the end write CPU time and requests served to FILE, not to standard output", 0},
        {"fault", FAULT, "KIND", 0, "for tests: signature or data, wrong in one reply of a hundred", 0},
        {0}};
    static const struct argp argp = {arguments,
                                     parse,
                                     NULL,
                                     "Serve objects from memory, each message signed as Ceph did it with NSS.\vIt ends "
                                     "cleanly at SIGTERM or SIGINT.",
                                     NULL,
                                     NULL,
                                     NULL};
    argp_err_exit_status = 2;
    signing_named(&server.signing, "hammer");
    signing_default(&server.signing);
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
}

static struct usage used(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (struct usage){.user_us = (uint64_t)r.ru_utime.tv_sec * 1000000 + (uint64_t)r.ru_utime.tv_usec,
                          .system_us = (uint64_t)r.ru_stime.tv_sec * 1000000 + (uint64_t)r.ru_stime.tv_usec,
                          .requests = atomic_load(&server.requests)};
}

/* The CPU time is that from ready to the signal: without NSS's start and end. */
static bool write_report(const struct usage *start, const struct usage *end) {
    FILE *to = option.report ? fopen(option.report, "we") : stdout;
    double user = (double)(end->user_us - start->user_us), system = (double)(end->system_us - start->system_us);
    double requests = (double)end->requests;
    bool fine = to && fprintf(to,
                              "{\"signing\":\"%s\",\"requests\":%.0f,\"cpu_user_seconds\":%.6f,\"cpu_system_seconds\":"
                              "%.6f,\"cpu_us_per_request\":%.3f,\"connections\":%llu,\"refused\":%llu}\n",
                              signing_name(&server.signing), requests, user / 1e6, system / 1e6,
                              requests > 0 ? (user + system) / requests : 0, atomic_load(&server.connections),
                              atomic_load(&server.refused)) > 0;
    if (to && to != stdout)
        fine = fclose(to) == 0 && fine;
    if (!fine)
        fprintf(stderr, "object-server: the report can't be written: %s\n", strerror(errno));
    return fine;
}

static void take_connection(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    connections_reap();
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
        usleep(10000); /* the connection waits in the backlog */
    if (fd >= 0 && !connection_start(fd)) {
        fprintf(stderr, "object-server: no memory or thread for a connection\n");
        close(fd);
    }
}

static void serve_until_signal(int listener, int signals) {
    struct pollfd what[] = {{listener, POLLIN, 0}, {signals, POLLIN, 0}};
    while (!what[1].revents) {
        if (poll(what, 2, -1) > 0 && what[0].revents)
            take_connection(listener);
    }
}

static bool serve(int listener, int signals) {
    char where[128];
    address_print(option.listen, listener, where, sizeof where);
    printf("object-server: listening on %s\n", where);
    fflush(stdout);
    if (!life_ready(option.pid_file, option.log, option.in_background))
        return false;
    struct usage start = used();
    serve_until_signal(listener, signals);
    connections_stop();
    dispatch_stop();
    struct usage end = used();
    return write_report(&start, &end);
}

int main(int argc, char **argv) {
    parse_options(argc, argv);
    if (option.in_background && !life_daemonise())
        return 1;
    int signals = life_signals();
    if (signals < 0 || !signing_start(&server.signing))
        return 1;
    int listener = address_listen(option.listen);
    bool fine = listener >= 0 && dispatch_start(option.threads) && serve(listener, signals);
    if (listener >= 0) {
        close(listener);
        if (strchr(option.listen, '/'))
            unlink(option.listen);
    }
    if (fine && option.pid_file)
        unlink(option.pid_file);
    store_free();
    return signing_stop(&server.signing) && fine ? 0 : 1;
}
