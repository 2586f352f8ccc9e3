/* nss_life.h - how the daemons start and end NSS. */
#ifndef WORKLOAD_NSS_LIFE_H
#define WORKLOAD_NSS_LIFE_H

#include <stdbool.h>

bool nss_life_nodb_init(void); /* ceph-osd, corosync: NSS_NoDB_Init */
bool nss_life_shutdown(void);

#endif
