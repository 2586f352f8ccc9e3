#include "wire.h"
#include "crc.h"

#include <string.h>

/* "pk11objs"; the head has its first half. */
static const uint64_t magic = 0x736a626f31316b70;

uint64_t wire_get(const unsigned char *from, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | from[i];
    return value;
}

void wire_put(unsigned char *to, int bytes, uint64_t value) {
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* All of the head but its own checksum. */
static void put_checked_part(const struct frame *f, unsigned char head[FRAME_HEAD - 4]) {
    wire_put(head, 4, magic & 0xffffffff);
    wire_put(head + 4, 2, f->type);
    wire_put(head + 6, 2, f->status);
    wire_put(head + 8, 8, f->tag);
    wire_put(head + 16, 8, f->object);
    wire_put(head + 24, 4, f->length);
}

void frame_seal(struct frame *f) {
    unsigned char head[FRAME_HEAD - 4];
    put_checked_part(f, head);
    f->head_crc = crc32c(head, sizeof head);
    f->data_crc = crc32c(f->data, f->length);
}

void frame_put_head(const struct frame *f, unsigned char head[FRAME_HEAD]) {
    put_checked_part(f, head);
    wire_put(head + FRAME_HEAD - 4, 4, f->head_crc);
}

bool frame_get_head(struct frame *f, const unsigned char head[FRAME_HEAD]) {
    f->type = (uint16_t)wire_get(head + 4, 2);
    f->status = (uint16_t)wire_get(head + 6, 2);
    f->tag = wire_get(head + 8, 8);
    f->object = wire_get(head + 16, 8);
    f->length = (uint32_t)wire_get(head + 24, 4);
    f->head_crc = (uint32_t)wire_get(head + FRAME_HEAD - 4, 4);
    return wire_get(head, 4) == (magic & 0xffffffff) && f->length <= FRAME_DATA_MAX &&
           f->head_crc == crc32c(head, FRAME_HEAD - 4);
}

void frame_put_foot(const struct frame *f, unsigned char foot[FRAME_FOOT]) {
    wire_put(foot, 4, f->data_crc);
    wire_put(foot + 4, 4, f->is_signed);
    wire_put(foot + 8, 8, f->signature);
}

bool frame_get_foot(struct frame *f, const unsigned char foot[FRAME_FOOT]) {
    f->data_crc = (uint32_t)wire_get(foot, 4);
    f->is_signed = wire_get(foot + 4, 4) == 1;
    f->signature = wire_get(foot + 8, 8);
    return f->data_crc == crc32c(f->data, f->length);
}

void frame_signed_bytes(const struct frame *f, unsigned char block[SIGNED_BYTES]) {
    block[0] = 1;
    wire_put(block + 1, 8, magic);
    wire_put(block + 9, 4, 16);
    wire_put(block + 13, 4, f->head_crc);
    wire_put(block + 17, 4, 0);
    wire_put(block + 21, 4, 0);
    wire_put(block + 25, 4, f->data_crc);
}

void usage_put(const struct usage *usage, unsigned char data[USAGE_BYTES]) {
    wire_put(data, 8, usage->user_us);
    wire_put(data + 8, 8, usage->system_us);
    wire_put(data + 16, 8, usage->requests);
}

void usage_get(struct usage *usage, const unsigned char data[USAGE_BYTES]) {
    usage->user_us = wire_get(data, 8);
    usage->system_us = wire_get(data + 8, 8);
    usage->requests = wire_get(data + 16, 8);
}
