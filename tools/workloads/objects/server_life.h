/* server_life.h - a daemon's start and end: into the background, the pid file, the signals. Main thread only. */
#ifndef OBJECTS_SERVER_LIFE_H
#define OBJECTS_SERVER_LIFE_H

#include <stdbool.h>

/* Go into the background, before any thread or NSS. The first process waits for life_ready and ends with 0, or with 1
 * when the server ends before (which has said why on stderr). */
bool life_daemonise(void);

/* The server takes connections: write the pid file (NULL: none), and in the background let go of the terminal; stderr
 * goes to `log` then (NULL: nowhere). False after a message. */
bool life_ready(const char *pid_file, const char *log, bool in_background);

/* A descriptor that becomes readable at SIGTERM or SIGINT, which are blocked from here on for all threads; -1 after a
 * message. */
int life_signals(void);

#endif
