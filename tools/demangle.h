/* demangle.h - readable C++ names. */
#ifndef PK11CACHE_DEMANGLE_H
#define PK11CACHE_DEMANGLE_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write the text with every mangled C++ name in it (a word that begins with _Z) demangled. What can't be demangled
 * stays as it is. */
void demangle_print(const char *text, FILE *to);

#ifdef __cplusplus
}
#endif

#endif
