/* A sequence from a seed, or from a fuzzer's bytes: only data is made here, no call. */
#include "mechanisms.h"
#include "sequence.h"

#include <string.h>

static unsigned long long state;
static const unsigned char *input; /* of the fuzzer: its bytes are the draws, while there are any */
static size_t input_left;

static unsigned draw(unsigned below) {
    if (input_left) {
        unsigned wanted = below > 1 << 16 ? 4 : below > 1 << 8 ? 2 : 1, value = 0;
        for (; wanted && input_left; wanted--, input_left--)
            value = value << 8 | *input++;
        return value % below;
    }
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}
static bool one_in(unsigned n) {
    return draw(n) == 0;
}

struct plan {
    struct sequence *sequence;
    unsigned char theme; /* most contexts of a sequence are of one mechanism */
    bool polite;         /* as a daemon would: nearly every call stays on the fast path */
    bool live[CONTEXTS], key[KEYS];
};

static unsigned char choose_mechanism(void) {
    unsigned total = 0;
    for (unsigned i = 0; i < mechanisms_count; i++)
        total += mechanisms[i].weight;
    unsigned ticket = draw(total);
    unsigned char i = 0;
    while (ticket >= mechanisms[i].weight)
        ticket -= mechanisms[i++].weight;
    return i;
}

static struct call *add(struct plan *p, enum call_kind kind) {
    static struct call none;
    struct call *c = p->sequence->count < CALLS ? &p->sequence->calls[p->sequence->count++] : &none;
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->mechanism = p->theme;
    c->random = draw(1u << 31);
    return c;
}

static void import(struct plan *p, unsigned char key) {
    struct call *c = add(p, CALL_IMPORT);
    c->key = key;
    c->length = mechanisms[p->theme].key_bytes;
    if (one_in(40) && (mechanisms[p->theme].type == CKM_AES_CBC_PAD || mechanisms[p->theme].signs))
        c->length = 1 + draw(64);                 /* NSS judges; not for DES, where softoken reads beyond a short key */
    c->random = one_in(10) ? c->random : draw(4); /* mostly one of a few keys */
    c->odd = one_in(3);
    p->key[key] = true;
}

/* Lengths as Ceph (17) and radosgw (32) hand them over, and those that NSS judges. */
static unsigned char choose_param(const struct mechanism *m) {
    static const unsigned char blocks[] = {16, 16, 17, 17, 32, 24, 16, 17, 63, 64, 15, 8, 1, 33, 0};
    if (m->iv_bytes == 16)
        return blocks[draw(one_in(8) ? (unsigned)sizeof blocks : 8)];
    if (m->iv_bytes == 8 && one_in(8))
        return (unsigned char)draw(33);
    if (m->type == CKM_AES_CTR && one_in(20))
        return (unsigned char)draw(64);
    if (m->iv_bytes == 0 && one_in(10))
        return (unsigned char)draw(20);
    return (unsigned char)m->iv_bytes;
}

static unsigned choose_length(void) {
    if (one_in(3))
        return 29;
    if (one_in(2000))
        return 1 << 20;
    if (one_in(200))
        return draw(70000);
    return one_in(8) ? draw(4200) : draw(120);
}

static void create(struct plan *p, unsigned char context) {
    struct call *c = add(p, CALL_CREATE);
    c->context = context;
    c->key = (unsigned char)(one_in(3) ? draw(KEYS) : 0);
    if (!p->key[c->key])
        c->key = 0;
    if (one_in(5)) { /* a mechanism that takes (or refuses) the same key */
        unsigned char other = choose_mechanism();
        if (mechanisms_mix(&mechanisms[other], &mechanisms[p->theme]))
            c->mechanism = other;
    }
    c->decrypt = draw(2);
    c->odd = one_in(150);
    c->param_length = choose_param(&mechanisms[c->mechanism]);
    c->null_param = one_in(200);
    c->constant_iv = one_in(3);
    c->length = choose_length();
    c->damaged = one_in(4);
    p->live[context] = true;
}

static void cipher(struct plan *p, unsigned char context) {
    struct call *c = add(p, CALL_CIPHER);
    c->context = context;
    c->everything = one_in(3);
    c->in_place = one_in(4);
    c->rough = !p->polite && one_in(12);
    c->out_null = !p->polite && one_in(15);
    c->in_null = draw(2);
    c->room = !p->polite && one_in(10) ? (enum room)(ROOM_EXACT + draw(4)) : one_in(4) ? ROOM_BLOCK : ROOM_AMPLE;
}

static void final(struct plan *p, unsigned char context) {
    struct call *c = add(p, CALL_FINAL);
    c->context = context;
    c->room = !p->polite && one_in(12) ? ROOM_RANDOM : ROOM_AMPLE;
    c->out_null = !p->polite && one_in(12);
}

static void on_context(struct plan *p, unsigned char context) {
    unsigned what = draw(p->polite ? 92 : 100);
    bool signs = mechanisms[p->theme].signs;
    if (what < 48) {
        if (signs != (!p->polite && one_in(25)))
            add(p, CALL_DIGEST_OP)->context = context;
        else
            cipher(p, context);
    } else if (what < 72) {
        final(p, context);
    } else if (what < 84) {
        add(p, CALL_BEGIN)->context = context;
    } else if (what < 92) {
        add(p, CALL_DESTROY)->context = context;
        p->live[context] = false;
        if (one_in(4))
            add(p, CALL_STALE)->context = context;
    } else {
        static const enum call_kind rare[] = {CALL_FINALIZE, CALL_SAVE,       CALL_RESTORE,
                                              CALL_CLONE,    CALL_DIGEST_KEY, CALL_FIPS,
                                              CALL_STALE,    CALL_DIGEST_OP,  CALL_DIGEST_KEY};
        struct call *c = add(p, rare[draw(sizeof rare / sizeof *rare)]);
        c->context = context;
        c->other = (unsigned char)draw(CONTEXTS);
        c->in_null = one_in(4);
    }
}

static void step(struct plan *p) {
    unsigned char context = (unsigned char)draw(CONTEXTS);
    for (unsigned i = 0; i < CONTEXTS && !p->live[context]; i++)
        context = (unsigned char)((context + 1) % CONTEXTS);
    unsigned what = draw(100);
    if (what < 12 || !p->live[context]) {
        for (unsigned char i = 0; i < CONTEXTS; i++)
            if (!p->live[i])
                return create(p, i);
    } else if (what < 14 && mechanisms[p->theme].key_bytes) {
        unsigned char key = (unsigned char)draw(KEYS);
        if (!p->key[key])
            return import(p, key);
        add(p, one_in(3) ? CALL_KEY_DATA : CALL_FREE_KEY)->key = key;
        p->key[key] = p->sequence->calls[p->sequence->count - 1].kind == CALL_KEY_DATA;
        return;
    } else if (what < 15) {
        add(p, one_in(6) ? CALL_DISTURB : CALL_BEST_SLOT)->mechanism = choose_mechanism();
        return;
    }
    on_context(p, context);
}

static void make(struct sequence *sequence) {
    struct plan p = {.sequence = sequence};
    sequence->count = 0;
    p.theme = choose_mechanism();
    p.polite = one_in(2);
    if (mechanisms[p.theme].key_bytes)
        import(&p, 0);
    if (mechanisms[p.theme].key_bytes && one_in(3))
        import(&p, 1);
    create(&p, 0);
    for (unsigned steps = 2 + draw(one_in(6) ? 40 : 14); steps; steps--)
        step(&p);
}

void sequence_make(struct sequence *sequence, unsigned long seed) {
    input_left = 0;
    sequence->seed = seed;
    state = seed * 2862933555777941757ull + 3037000493ull;
    for (int i = 0; i < 4; i++)
        draw(2);
    make(sequence);
}

void sequence_make_from(struct sequence *sequence, const unsigned char *bytes, size_t count) {
    input = bytes;
    input_left = count;
    sequence->seed = 0;
    state = count;
    make(sequence);
    input_left = 0;
}
