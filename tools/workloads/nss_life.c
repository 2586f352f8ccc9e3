#include "nss_life.h"
#include "workload.h"

#include <nss.h>
#include <prerror.h>

bool nss_life_nodb_init(void) {
    return NSS_NoDB_Init(NULL) == SECSuccess || workload_failed("NSS_NoDB_Init", PR_GetError());
}

bool nss_life_shutdown(void) {
    return NSS_Shutdown() == SECSuccess || workload_failed("NSS_Shutdown", PR_GetError());
}
