/* wire.h - the messages between the object server and its load: a head, data, and a foot with checksum and signature.
 *
 * The server speaks first (HELLO, with a nonce); the client answers with AUTH, signed with the session key that both
 * make of the nonce; then come requests, each with its reply of the same tag, in any order. Numbers are little-endian.
 */
#ifndef OBJECTS_WIRE_H
#define OBJECTS_WIRE_H

#include <stdbool.h>
#include <stdint.h>

enum { FRAME_HEAD = 32, FRAME_FOOT = 16, FRAME_DATA_MAX = 65536, NONCE_BYTES = 16, SIGNED_BYTES = 29 };

enum frame_type { FRAME_HELLO = 1, FRAME_AUTH, FRAME_READ, FRAME_WRITE, FRAME_USAGE, FRAME_REPLY };

/* In a reply. FRAME_MALFORMED also ends the connection, FRAME_REFUSED (a wrong or missing signature) too. */
enum frame_status { FRAME_FINE, FRAME_NO_OBJECT, FRAME_NO_MEMORY, FRAME_REFUSED, FRAME_MALFORMED };

struct frame {
    uint16_t type, status;
    uint64_t tag, object;
    uint32_t length;           /* of the data */
    const unsigned char *data; /* borrowed */
    uint32_t head_crc, data_crc;
    bool is_signed;
    uint64_t signature;
};

/* The reply to FRAME_USAGE: what the server has used until now (its CPU: user and system), and how much it served. */
enum { USAGE_BYTES = 24 };
struct usage {
    uint64_t user_us, system_us, requests;
};

uint64_t wire_get(const unsigned char *from, int bytes);
void wire_put(unsigned char *to, int bytes, uint64_t value);

/* Compute both checksums, before a frame is signed and sent. */
void frame_seal(struct frame *frame);

/* The bytes of a head and a foot. The getters are false where the checksum, the magic number or a length is wrong;
 * frame_get_foot wants frame->data to be there. */
void frame_put_head(const struct frame *frame, unsigned char head[FRAME_HEAD]);
bool frame_get_head(struct frame *frame, const unsigned char head[FRAME_HEAD]);
void frame_put_foot(const struct frame *frame, unsigned char foot[FRAME_FOOT]);
bool frame_get_foot(struct frame *frame, const unsigned char foot[FRAME_FOOT]);

/* What is signed: as in Ceph a version, a magic number, a length, and four checksums (two of parts that are empty
 * here). */
void frame_signed_bytes(const struct frame *frame, unsigned char block[SIGNED_BYTES]);

void usage_put(const struct usage *usage, unsigned char data[USAGE_BYTES]);
void usage_get(struct usage *usage, const unsigned char data[USAGE_BYTES]);

#endif
