#include "generator.h"
#include "pair.h"

#include <stdlib.h>
#include <string.h>

static const struct mechanism {
    const char *name;
    CK_MECHANISM_TYPE type;
    unsigned key_bytes, param_bytes, block;
    bool padded, signs;
    SECOidTag digest;
    unsigned weight;
} mechanisms[] = {
    {"AES_CBC_PAD-128", CKM_AES_CBC_PAD, 16, 16, 16, true, false, 0, 30},
    {"AES_CBC_PAD-192", CKM_AES_CBC_PAD, 24, 16, 16, true, false, 0, 10},
    {"AES_CBC_PAD-256", CKM_AES_CBC_PAD, 32, 16, 16, true, false, 0, 10},
    {"AES_CBC-128", CKM_AES_CBC, 16, 16, 16, false, false, 0, 10},
    {"AES_CBC-192", CKM_AES_CBC, 24, 16, 16, false, false, 0, 5},
    {"AES_CBC-256", CKM_AES_CBC, 32, 16, 16, false, false, 0, 10},
    {"AES_ECB-128", CKM_AES_ECB, 16, 0, 16, false, false, 0, 3},
    {"AES_ECB-256", CKM_AES_ECB, 32, 0, 16, false, false, 0, 3},
    {"AES_CTR-128", CKM_AES_CTR, 16, sizeof(CK_AES_CTR_PARAMS), 1, false, false, 0, 3},
    {"AES_CTR-256", CKM_AES_CTR, 32, sizeof(CK_AES_CTR_PARAMS), 1, false, false, 0, 3},
    {"DES3_CBC", CKM_DES3_CBC, 24, 8, 8, false, false, 0, 3},
    {"DES3_CBC_PAD", CKM_DES3_CBC_PAD, 24, 8, 8, true, false, 0, 3},
    {"CAMELLIA_CBC", CKM_CAMELLIA_CBC, 16, 16, 16, false, false, 0, 3},
    {"CAMELLIA_CBC_PAD", CKM_CAMELLIA_CBC_PAD, 32, 16, 16, true, false, 0, 3},
    {"SEED_CBC_PAD", CKM_SEED_CBC_PAD, 16, 16, 16, true, false, 0, 2},
    {"MD5_HMAC", CKM_MD5_HMAC, 16, 0, 1, false, true, 0, 2},
    {"SHA_1_HMAC", CKM_SHA_1_HMAC, 20, 0, 1, false, true, 0, 3},
    {"SHA256_HMAC", CKM_SHA256_HMAC, 32, 0, 1, false, true, 0, 6},
    {"SHA384_HMAC", CKM_SHA384_HMAC, 48, 0, 1, false, true, 0, 2},
    {"SHA512_HMAC", CKM_SHA512_HMAC, 64, 0, 1, false, true, 0, 2},
    {"AES_CMAC", CKM_AES_CMAC, 16, 0, 1, false, true, 0, 1},
    {"MD5", 0, 0, 0, 1, false, true, SEC_OID_MD5, 2},
    {"SHA1", 0, 0, 0, 1, false, true, SEC_OID_SHA1, 2},
    {"SHA256", 0, 0, 0, 1, false, true, SEC_OID_SHA256, 4},
    {"SHA384", 0, 0, 0, 1, false, true, SEC_OID_SHA384, 2},
    {"SHA512", 0, 0, 0, 1, false, true, SEC_OID_SHA512, 2},
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms, CONTEXTS = 3 };

static unsigned long long calls_by[MECHANISMS][2], handles_cbc;
static unsigned long long state;
static unsigned char data[ROOM], cipher[ROOM];

static unsigned draw(unsigned below) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % below;
}
static bool one_in(unsigned n) { return draw(n) == 0; }

struct sequence {
    const struct mechanism *m;
    bool decrypt;
    struct keys keys;
    unsigned char param[64];
    SECItem item;
    struct pair contexts[CONTEXTS];
    unsigned count;
    const unsigned char *source; /* plain text, or the cipher text of a message that decrypts */
    int source_length, at[CONTEXTS];
};

static void choose_mechanism(struct sequence *s) {
    unsigned total = 0, ticket;
    for (int i = 0; i < MECHANISMS; i++)
        total += mechanisms[i].weight;
    ticket = draw(total);
    s->m = mechanisms;
    while (ticket >= s->m->weight)
        ticket -= s->m++->weight;
    s->decrypt = !s->m->signs && draw(2);
}

static CK_ATTRIBUTE_TYPE operation(const struct sequence *s) {
    return s->m->signs ? CKA_SIGN : s->decrypt ? CKA_DECRYPT : CKA_ENCRYPT;
}

/* Lengths as Ceph (17) and radosgw (32) hand them over, and those that NSS judges; the buffer is long enough for a mode that reads beyond
 * the length (CBC_PAD does). */
static void choose_param(struct sequence *s) {
    for (size_t i = 0; i < sizeof s->param; i++)
        s->param[i] = (unsigned char)draw(256);
    unsigned length = s->m->param_bytes;
    if (s->m->type == CKM_AES_CTR) {
        CK_AES_CTR_PARAMS ctr;
        memset(&ctr, 0, sizeof ctr);
        ctr.ulCounterBits = one_in(4) ? 32 : 128;
        memcpy(ctr.cb, s->param, sizeof ctr.cb);
        memcpy(s->param, &ctr, sizeof ctr);
    } else if (s->m->param_bytes == 16) {
        static const unsigned lengths[] = {16, 16, 17, 17, 32, 24, 16, 17, 63, 64, 15, 8, 1, 33};
        length = lengths[draw(one_in(8) ? 14 : 8)];
    }
    if (one_in(3)) /* Ceph's constant IV */
        memcpy(s->param, "cephsageyudagreg", s->m->type == CKM_AES_CTR ? 0 : 16);
    s->item = (SECItem){siBuffer, length || one_in(2) ? s->param : NULL, length};
}

static int choose_length(const struct sequence *s) {
    int n = one_in(3) ? 29 : one_in(40) ? (int)draw(70000) : one_in(6) ? (int)draw(4200) : (int)draw(120);
    if (one_in(2000))
        n = 1 << 20;
    if (!s->m->padded)
        n -= n % (int)s->m->block;
    return n;
}

/* A message to work on. To decrypt: its cipher text, made by bare NSS, now and then damaged near its end. */
static void choose_source(struct sequence *s) {
    int n = choose_length(s);
    unsigned start = draw(256), step = draw(7) * 2 + 1;
    for (int i = 0; i < n; i++)
        data[i] = (unsigned char)(start + (unsigned)i * step);
    s->source = data;
    s->source_length = n;
    if (!s->decrypt || s->m->signs)
        return;
    PK11Context *c = bare.PK11_CreateContextBySymKey(s->m->type, CKA_ENCRYPT, s->keys.bare, &s->item);
    int used = 0;
    unsigned last = 0;
    if (!c)
        return;
    if (n)
        bare.PK11_CipherOp(c, cipher, &used, ROOM, data, n);
    bare.PK11_DigestFinal(c, cipher + used, &last, 64);
    bare.PK11_DestroyContext(c, PR_TRUE);
    s->source = cipher;
    s->source_length = used + (int)last;
    if (one_in(4) && s->source_length)
        cipher[s->source_length - 1 - (int)draw(s->source_length < 32 ? (unsigned)s->source_length : 32)] ^=
            (unsigned char)(1 + draw(255));
}

static void create(struct sequence *s) {
    if (s->count == CONTEXTS)
        return;
    struct pair p = s->m->digest ? pair_digest(s->m->digest)
                                 : pair_create(s->m->type, operation(s), s->keys, one_in(300) ? NULL : &s->item);
    if (!p.bare || !p.hooked) {
        if (p.bare)
            bare.PK11_DestroyContext(p.bare, PR_TRUE);
        if (p.hooked)
            hooked.PK11_DestroyContext(p.hooked, PR_TRUE);
        return;
    }
    handles_cbc += is_handle(p.hooked) && (s->m->type == CKM_AES_CBC || s->m->type == CKM_AES_CBC_PAD);
    s->at[s->count] = 0;
    s->contexts[s->count++] = p;
}

static void cipher_op(struct sequence *s, unsigned i) {
    int left = s->source_length - s->at[i], n = one_in(3) ? left : left ? (int)draw((unsigned)left + 1) : 0;
    if (!one_in(12) && (s->decrypt || !s->m->padded))
        n -= n % (int)s->m->block;
    int room = n + 64;
    if (one_in(12))
        room = one_in(4) ? -1 : (int)draw((unsigned)n + 20);
    else if (one_in(4))
        room = n + 16;
    bool in_place = one_in(5), out_null = one_in(15);
    const unsigned char *in = n == 0 && one_in(2) ? NULL : s->source + s->at[i];
    if (out_null)
        in_place = false;
    if (n == 0)
        in_place = false;
    /* A negative room counts as huge in NSS: the buffer has to be that of a good call. */
    if (pair_cipher_op(s->contexts[i], in, n, room, in_place, out_null, NULL, NULL) == SECSuccess && !out_null)
        s->at[i] += n;
}

static void final(struct sequence *s, unsigned i) {
    unsigned room = s->m->signs ? 64 : 16;
    /* Left out: too little room for a digest. freebl then returns without setting the length (e.g. MD5_End), and bare NSS reports what
     * was on its stack. */
    if (one_in(12) && !s->m->digest)
        room = draw(70);
    pair_final(s->contexts[i], room, one_in(12), NULL, NULL);
    s->at[i] = 0;
}

/* Left out: a begin after a parameter shorter than the IV. Bare NSS then reads beyond its own copy of it (pk11cxt.c keeps a copy of the
 * given length), so that its output is random. */
static void begin(struct sequence *s, unsigned i) {
    if (s->item.len >= s->m->param_bytes)
        pair_begin(s->contexts[i]);
}

static void rare(struct sequence *s, unsigned i) {
    struct pair p = s->contexts[i], clone;
    switch (draw(7)) {
    case 0: pair_finalize(p); break;
    case 1: pair_save_restore(p, s->contexts[draw(s->count)]); break;
    case 2:
        clone = pair_clone(p);
        if (!clone.bare || !clone.hooked)
            break;
        pair_digest_op(clone, data, draw(100));
        pair_final(clone, 64, false, NULL, NULL);
        pair_destroy(clone);
        break;
    case 3:
        if (s->keys.bare)
            pair_digest_key(p, s->keys);
        break;
    case 4: pair_digest_op(p, one_in(3) ? NULL : data, draw(50)); break;
    case 5:
        if (s->m->signs)
            pair_cipher_op(p, data, 16, 64, false, false, NULL, NULL);
        break;
    default: begin(s, i); break;
    }
}

static void destroy(struct sequence *s, unsigned i) {
    PK11Context *old = s->contexts[i].hooked;
    pair_destroy(s->contexts[i]);
    s->contexts[i] = s->contexts[--s->count];
    s->at[i] = s->at[s->count];
    if (is_handle(old) && one_in(10)) /* ceph#6698: no harm to whoever has the engine now */
        hooked.PK11_DestroyContext(old, PR_TRUE);
}

static void step(struct sequence *s) {
    unsigned i = draw(s->count), what = draw(100);
    if (what < 50 && s->m->signs)
        pair_digest_op(s->contexts[i], data, draw(300));
    else if (what < 50)
        cipher_op(s, i);
    else if (what < 72)
        final(s, i);
    else if (what < 82)
        begin(s, i);
    else if (what < 87)
        create(s);
    else if (what < 93)
        destroy(s, i);
    else
        rare(s, i);
}

static void choose_key(struct sequence *s) {
    unsigned char bytes[64];
    unsigned which = one_in(10) ? draw(1u << 30) : draw(4); /* mostly one of a few */
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((which + 1) * 2654435761u >> (i % 4 * 8)) ^ (unsigned char)(i * 29);
    CK_ATTRIBUTE_TYPE import = s->m->signs ? CKA_SIGN : one_in(2) ? CKA_ENCRYPT : one_in(2) ? CKA_UNWRAP : operation(s);
    s->keys = pair_import(s->m->type, import, bytes, s->m->key_bytes);
}

void generator_sequence(unsigned long seed) {
    struct sequence s = {0};
    state = seed * 2862933555777941757ull + 3037000493ull;
    for (int i = 0; i < 4; i++)
        draw(2);
    choose_mechanism(&s);
    pair_sequence(seed, s.m->name);
    unsigned long long before = pair_calls;
    if (!s.m->digest)
        choose_key(&s);
    if (s.m->digest || (s.keys.bare && s.keys.hooked)) {
        choose_param(&s);
        choose_source(&s);
        create(&s);
        for (unsigned steps = 2 + draw(12); s.count && steps && !pair_different; steps--)
            step(&s);
        while (s.count)
            destroy(&s, s.count - 1);
        if (!s.m->digest)
            pair_free_keys(s.keys);
    }
    calls_by[s.m - mechanisms][s.decrypt] += pair_calls - before;
}

void generator_table(FILE *to) {
    fprintf(to, "%-18s %12s %12s\n", "calls", "encrypt/sign", "decrypt");
    for (int i = 0; i < MECHANISMS; i++)
        fprintf(to, "%-18s %12llu %12llu\n", mechanisms[i].name, calls_by[i][0], calls_by[i][1]);
}

unsigned long long generator_handles(void) { return handles_cbc; }
