/* names.h - PKCS#11's names of mechanisms and operations. */
#ifndef PK11CACHE_NAMES_H
#define PK11CACHE_NAMES_H

#include "stats/text.h"

/* "CKM_AES_CBC CKA_ENCRYPT"; numbers where there is no name; a digest is given by its SECOidTag and CKA_DIGEST. */
void names_add_what(struct text *text, unsigned long mechanism, unsigned long operation);

#endif
