/* content.h - what an object holds: its number and version, and bytes that follow from both, so that a reader can tell
 * whether all of it is one version's. Any thread. */
#ifndef OBJECTS_CONTENT_H
#define OBJECTS_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTENT_MIN = 16 };

void content_make(unsigned char *data, uint32_t length, uint64_t object, uint64_t version);

/* Is it this object's content, whole, and of a version from `oldest` to `newest`? */
bool content_check(const unsigned char *data, uint32_t length, uint64_t object, uint64_t oldest, uint64_t newest);

#endif
