/* crc.h - CRC-32C, the checksum of Ceph's messenger. Any thread. */
#ifndef OBJECTS_CRC_H
#define OBJECTS_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of `length` bytes; "123456789" gives 0xe3069283. */
uint32_t crc32c(const void *data, size_t length);

#endif
