/* say.h - one line to stderr, without stdio: the library lives in other people's processes. */
#ifndef PK11CACHE_SAY_H
#define PK11CACHE_SAY_H

/* "pk11cache[pid]: text" in one write, 512 bytes at most. errno is kept. Never fails. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
