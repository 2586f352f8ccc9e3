/* scenario.h - small stories about an NSS program's life. Each prints what it sees; plain and preloaded must print the
 * same.
 *
 * A program has a table of scenarios and is run as PROGRAM SCENARIO. */
#ifndef LIFECYCLE_SCENARIO_H
#define LIFECYCLE_SCENARIO_H

#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <secerr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct scenario {
    const char *name;
    void (*run)(void);
};

int scenario_main(int argc, char **argv, const struct scenario *table);

void init(void);                        /* NSS_NoDB_Init; prints a failure */
void print_shutdown(const char *when);  /* NSS_Shutdown: prints its result and error */
PK11SymKey *import(unsigned char seed); /* a 16-byte AES key of that byte */
PK11Context *create(PK11SymKey *key, CK_ATTRIBUTE_TYPE operation);
/* The hammer sequence of a 29-byte message; prints the first bytes of the result. */
void hammer(const char *label, unsigned char seed);
/* One message through a context that is there; prints as hammer does. */
void message(const char *label, PK11Context *context);

#endif
