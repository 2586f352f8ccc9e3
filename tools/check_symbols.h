/* check_symbols.h - the part of check_object.c that looks at symbols, relocations and strings. */
#ifndef PK11CACHE_CHECK_SYMBOLS_H
#define PK11CACHE_CHECK_SYMBOLS_H

#include "check_object.h"

#include <gelf.h>

/* Fill in what `facts` says of functions. The header, the interpreter and the dynamic section's facts are known. False
 * without memory. */
bool symbols_read(Elf *elf, struct object_facts *facts);

#endif
