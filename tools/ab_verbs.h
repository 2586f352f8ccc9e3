/* ab_verbs.h - the verbs of `pk11cache ab`; each gets its own argv and returns main's exit status. */
#ifndef PK11CACHE_AB_VERBS_H
#define PK11CACHE_AB_VERBS_H

int command_ab_live(int argc, char **argv);
int command_ab_run(int argc, char **argv);
int command_ab_daemon(int argc, char **argv);

#endif
