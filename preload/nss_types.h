/* nss_types.h - the types of NSS and NSPR, without the prototypes of the functions that we define ourselves. */
#ifndef PK11CACHE_NSS_TYPES_H
#define PK11CACHE_NSS_TYPES_H

#include <prerror.h>
#include <secmodt.h>
#include <nss.h>
#include <secerr.h>

#endif
