#include "content.h"
#include "load.h"
#include "load_handshake.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FAULT_EVERY = 100 };

struct object {
    uint64_t issued, acknowledged; /* versions */
};

struct slot { /* a request under way */
    uint64_t tag, intended_ns, oldest;
    uint32_t object;
    bool writes;
};

struct load_connection {
    struct channel channel;
    struct signer signer;
    uint64_t first_object, random, sent, last_ns;
    struct object *objects;
    struct slot *slots;
    uint32_t *free_slots;
    uint32_t depth, free_count;
    unsigned char *data; /* to write */
    struct load_counts counts;
    struct latency latency;
};

uint64_t load_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The depth is spread evenly; the first connections have what is over. */
static uint32_t share_of_depth(unsigned number) {
    uint32_t share = option.depth / option.connections + (number < option.depth % option.connections ? 1 : 0);
    return share ? share : 1;
}

struct load_connection *load_open(unsigned number) {
    struct load_connection *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->depth = c->free_count = share_of_depth(number);
    c->objects = calloc(option.objects, sizeof *c->objects);
    c->slots = calloc(c->depth, sizeof *c->slots);
    c->free_slots = calloc(c->depth, sizeof *c->free_slots);
    c->data = malloc(option.bytes);
    c->channel.fd = -1;
    /* Several loads may run at once. */
    c->first_object = ((uint64_t)getpid() << 32) + (uint64_t)number * option.objects;
    c->random = 0x2545f4914f6cdd1d * (number + 1);
    bool fine = c->objects && c->slots && c->free_slots && c->data;
    if (!fine)
        load_failed("no memory", "");
    for (uint32_t i = 0; fine && i < c->depth; i++)
        c->free_slots[i] = i;
    if (fine && handshake(option.address, &option.signing, &c->channel, &c->signer))
        return c;
    load_close(c);
    return NULL;
}

void load_close(struct load_connection *c) {
    signer_close(&c->signer);
    channel_close(&c->channel);
    free(c->objects);
    free(c->slots);
    free(c->free_slots);
    free(c->data);
    free(c);
}

const struct load_counts *load_counts(const struct load_connection *c) {
    return &c->counts;
}

const struct latency *load_latency(const struct load_connection *c) {
    return &c->latency;
}

uint64_t load_last_ns(const struct load_connection *c) {
    return c->last_ns;
}

/* xorshift64 */
static uint32_t draw(struct load_connection *c, uint32_t below) {
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return (uint32_t)((c->random >> 32) * below >> 32);
}

static void choose(struct load_connection *c, const struct phase *phase, uint64_t number, struct slot *slot) {
    bool mix = phase->order == ORDER_MIX;
    slot->object = mix ? draw(c, option.objects) : (uint32_t)(number % option.objects);
    slot->writes = mix ? draw(c, 100) >= option.read_percent : phase->order == ORDER_WRITE_ALL;
}

/* Send request `number` of the phase. */
static bool send_one(struct load_connection *c, const struct phase *phase, uint64_t number, uint64_t intended_ns) {
    uint32_t place = c->free_slots[--c->free_count];
    struct slot *slot = &c->slots[place];
    choose(c, phase, number, slot);
    struct object *object = &c->objects[slot->object];
    slot->intended_ns = intended_ns;
    slot->tag = ++c->sent << 16 | place;
    slot->oldest = slot->writes ? ++object->issued : object->acknowledged;
    struct frame frame = {.type = slot->writes ? FRAME_WRITE : FRAME_READ,
                          .tag = slot->tag,
                          .object = c->first_object + slot->object,
                          .data = c->data,
                          .length = slot->writes ? option.bytes : 0};
    if (slot->writes)
        content_make(c->data, option.bytes, frame.object, object->issued);
    frame_seal(&frame);
    if (!signer_sign(&c->signer, &frame))
        return false;
    if (option.fault && c->sent % FAULT_EVERY == 0)
        frame.signature ^= 1;
    return channel_send(&c->channel, &frame) || load_failed("the server takes no message", strerror(errno));
}

/* The replies to a connection's writes of one object come in their order: the server keeps it. */
static bool right_data(struct load_connection *c, const struct slot *slot, const struct frame *reply) {
    struct object *object = &c->objects[slot->object];
    if (!slot->writes)
        return reply->length == option.bytes &&
               content_check(reply->data, reply->length, c->first_object + slot->object, slot->oldest, object->issued);
    if (slot->oldest > object->acknowledged)
        object->acknowledged = slot->oldest;
    return reply->length == 0;
}

static bool take_reply(struct load_connection *c, const struct phase *phase, const struct frame *reply) {
    uint32_t place = (uint32_t)(reply->tag & 0xffff);
    if (reply->type != FRAME_REPLY || place >= c->depth || !reply->tag || c->slots[place].tag != reply->tag)
        return load_failed("a reply to nothing that was asked", "");
    struct slot *slot = &c->slots[place];
    bool authentic = signer_check(&c->signer, reply);
    uint64_t now = load_now();
    if (reply->status != FRAME_FINE)
        c->counts.failed++;
    else if (!authentic || !right_data(c, slot, reply))
        c->counts.wrong++;
    else if (slot->writes)
        c->counts.writes++;
    else
        c->counts.reads++;
    if (phase->measured) {
        latency_add(&c->latency, now > slot->intended_ns ? now - slot->intended_ns : 0);
        c->last_ns = now;
    }
    slot->tag = 0;
    c->free_slots[c->free_count++] = place;
    return reply->status != FRAME_REFUSED || load_failed("the server refused a signature", "");
}

static bool receive_one(struct load_connection *c, const struct phase *phase) {
    struct frame reply;
    switch (channel_read(&c->channel, &reply)) {
    case CHANNEL_FRAME:
        return take_reply(c, phase, &reply);
    case CHANNEL_END:
        return load_failed("the server closed the connection", "");
    case CHANNEL_GARBLED:
        return load_failed("a garbled reply", "");
    default:
        return load_failed(errno == EAGAIN ? "no reply within 10 seconds" : "the connection broke", strerror(errno));
    }
}

/* Wait for a reply until a time; true when there is something to read. */
static bool readable_before(struct load_connection *c, uint64_t ns) {
    uint64_t now = load_now(), rest = ns > now ? ns - now : 0;
    struct timespec timeout = {(time_t)(rest / 1000000000), (long)(rest % 1000000000)};
    struct pollfd what = {c->channel.fd, POLLIN, 0};
    return channel_has_some(&c->channel) || ppoll(&what, 1, &timeout, NULL) != 0;
}

/* When request `number` is meant to be sent. With a rate that is fixed beforehand, however late the server is: a
 * latency counts from there (else a stall would be seen once, not by all that were to come in it). */
static uint64_t intended(const struct phase *phase, uint64_t number, uint64_t now) {
    return phase->interval_ns > 0 ? phase->start_ns + (uint64_t)((double)number * phase->interval_ns) : now;
}

/* Send what is due. False when the connection is lost. */
static bool send_due(struct load_connection *c, const struct phase *phase, uint64_t *number, bool *over) {
    while (c->free_count && !*over) {
        uint64_t now = load_now(), due = intended(phase, *number, now);
        *over = *number == phase->limit || (phase->until_ns && now >= phase->until_ns);
        if (*over || due > now)
            return true;
        if (!send_one(c, phase, (*number)++, due))
            return false;
    }
    return true;
}

static bool run(struct load_connection *c, const struct phase *phase, uint64_t *number) {
    bool over = false;
    for (;;) {
        if (!send_due(c, phase, number, &over))
            return false;
        if (over && c->free_count == c->depth)
            return true;
        bool may_send = !over && c->free_count && phase->interval_ns > 0;
        if (may_send && !readable_before(c, intended(phase, *number, 0)))
            continue;
        if (!receive_one(c, phase))
            return false;
    }
}

bool load_run(struct load_connection *c, const struct phase *phase) {
    uint64_t number = 0;
    bool fine = run(c, phase, &number);
    c->counts.failed += c->depth - c->free_count; /* lost with the connection */
    if (phase->limit != UINT64_MAX)
        c->counts.failed += phase->limit - number; /* never sent */
    return fine;
}

bool load_usage(struct load_connection *c, struct usage *usage) {
    struct frame answer;
    if (!ask(&c->channel, &c->signer, FRAME_USAGE, &answer))
        return false;
    if (answer.length != USAGE_BYTES)
        return load_failed("the server does not say what it used", "");
    usage_get(usage, answer.data);
    return true;
}
