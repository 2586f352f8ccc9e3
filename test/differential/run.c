/* Run a sequence on both sides. */
#include "mechanisms.h"
#include "pair.h"
#include "sequence.h"

#include <string.h>

#ifdef WITH_CORE
#include "preload/cache.h"
#endif

enum { TABLE = 64 };
static unsigned long long calls_by[TABLE][2], calls_of[CALL_KINDS], handles_cbc;
static unsigned char data[ROOM], cipher_text[CONTEXTS][ROOM];

struct place {
    const struct mechanism *m;
    struct pair pair;
    bool live, decrypt, short_param;
    bool ended, begins;          /* a digest that has no state to save, and whether a begin makes a new one */
    const unsigned char *source; /* plain text, or the cipher text of a message that decrypts */
    unsigned length, at;
    PK11Context *destroyed;
    struct saved saved;
};

static struct place places[CONTEXTS];
static struct keys keys[KEYS];
static unsigned char param_bytes[256];
static unsigned char gcm_iv[16];

static void fill(unsigned char *to, size_t n, uint32_t random) {
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        to[i] = (unsigned char)(random >> 24);
    }
}

/* There is room behind the length, for a mode that reads a whole IV whatever the length says (CBC_PAD). No
 * data with a length is left out: bare NSS copies from NULL (SECITEM_DupItem). */
static SECItem parameter(const struct call *c, const struct mechanism *m) {
    fill(param_bytes, sizeof param_bytes, c->random);
    if (m->type == CKM_AES_CTR) {
        static const CK_ULONG bits[] = {128, 128, 32, 8};
        CK_AES_CTR_PARAMS ctr = {.ulCounterBits = bits[c->random % 4]};
        memcpy(ctr.cb, param_bytes, sizeof ctr.cb);
        memcpy(param_bytes, &ctr, sizeof ctr);
    } else if (m->type == CKM_AES_GCM) {
        CK_NSS_GCM_PARAMS gcm = {.pIv = gcm_iv, .ulIvLen = 12, .ulTagBits = 128};
        memcpy(param_bytes, &gcm, sizeof gcm);
    } else if (c->constant_iv) {
        memcpy(param_bytes, "cephsageyudagreg", 16);
    }
    return (SECItem){siBuffer, c->param_length || c->random % 2 ? param_bytes : NULL, c->param_length};
}

static CK_ATTRIBUTE_TYPE operation(const struct call *c, const struct mechanism *m) {
    if (c->odd)
        return m->signs ? CKA_VERIFY : CKA_WRAP;
    return m->signs ? CKA_SIGN : c->decrypt ? CKA_DECRYPT : CKA_ENCRYPT;
}

/* A message to work on. To decrypt: its cipher text, made by bare NSS, now and then damaged near its end. */
static void choose_source(struct place *p, const struct call *c, const SECItem *item) {
    unsigned n = c->length, last = 0;
    int used = 0;
    if (!p->m->padded)
        n -= n % p->m->block;
    p->source = data;
    p->length = n;
    p->at = 0;
    if (!p->decrypt || p->m->signs)
        return;
    unsigned char *out = cipher_text[c->context];
    PK11Context *bare_context = bare.PK11_CreateContextBySymKey(p->m->type, CKA_ENCRYPT, keys[c->key].bare, item);
    if (!bare_context)
        return;
    if (n)
        bare.PK11_CipherOp(bare_context, out, &used, ROOM, data, (int)n);
    bare.PK11_DigestFinal(bare_context, out + used, &last, 64);
    bare.PK11_DestroyContext(bare_context, PR_TRUE);
    p->source = out;
    p->length = (unsigned)used + (p->m->padded ? last : 0);
    if (c->damaged && p->length)
        out[p->length - 1 - c->random % (p->length < 32 ? p->length : 32)] ^= (unsigned char)(1 + c->random % 255);
}

static void create(const struct call *c) {
    struct place *p = &places[c->context];
    const struct mechanism *m = &mechanisms[c->mechanism];
    if (p->live || (!m->digest && !keys[c->key].bare))
        return;
    SECItem item = parameter(c, m);
    struct pair pair = m->digest ? pair_digest(m->digest)
                                 : pair_create(m->type, operation(c, m), keys[c->key], c->null_param ? NULL : &item);
    if (!pair.bare || !pair.hooked) {
        if (pair.bare)
            bare.PK11_DestroyContext(pair.bare, PR_TRUE);
        if (pair.hooked)
            hooked.PK11_DestroyContext(pair.hooked, PR_TRUE);
        return;
    }
    handles_cbc += is_handle(pair.hooked) && (m->type == CKM_AES_CBC || m->type == CKM_AES_CBC_PAD);
    *p = (struct place){.m = m, .pair = pair, .live = true, .decrypt = c->decrypt, .saved = p->saved};
    p->short_param = !m->digest && item.len < m->iv_bytes;
    if (!m->digest)
        choose_source(p, c, &item);
}

static void destroy(struct place *p) {
    if (is_handle(p->pair.hooked))
        p->destroyed = p->pair.hooked;
    p->live = false;
    pair_destroy(p->pair);
}

static void cipher(struct place *p, const struct call *c) {
    unsigned left = p->length - p->at, n = c->everything ? left : c->random % (left + 1);
    if (p->m->signs)
        n = c->random % 64;
    else if (!c->rough && (p->decrypt || !p->m->padded))
        n -= n % p->m->block;
    int room = (int)n + 64;
    switch (c->room) {
    case ROOM_AMPLE:
        break;
    case ROOM_BLOCK:
        room = (int)n + 16;
        break;
    case ROOM_EXACT:
        room = (int)n;
        break;
    case ROOM_RANDOM:
        room = (int)(c->random / 7 % (n + 20));
        break;
    case ROOM_ZERO:
        room = 0;
        break;
    case ROOM_NEGATIVE:
        room = -1;
        break; /* counts as huge in NSS: the buffer is that of a good call */
    }
    const unsigned char *from = p->m->signs ? data : p->source + p->at;
    SECStatus status = pair_cipher_op(p->pair, n == 0 && c->in_null ? NULL : from, (int)n, room,
                                      c->in_place && n && !c->out_null, c->out_null, NULL, NULL);
    if (status == SECSuccess && !c->out_null)
        p->at += n;
}

/* Left out: too little room for a digest. freebl then returns without setting the length (e.g. MD5_End), and
 * bare NSS reports what was on its stack. */
static void final(struct place *p, const struct call *c) {
    unsigned room = 64;
    if (c->room == ROOM_RANDOM && !p->m->digest)
        room = c->random % 70;
    pair_final(p->pair, room, c->out_null, NULL, NULL);
    p->at = 0;
    p->ended = p->begins = true;
}

/* Left out: a begin after a parameter shorter than the IV. Bare NSS then reads beyond its own copy of it
 * (pk11cxt.c keeps a copy of the given length), so that its output is random. */
static void begin(struct place *p) {
    if (p->short_param)
        return;
    pair_begin(p->pair);
    p->ended = p->ended && !p->begins;
    p->begins = false;
}

/* Left out: the clone of a context that has no state to give (ciphers, HMACs, ended digests). Bare NSS then
 * allocates and wipes as many bytes as an uninitialised variable says (pk11cxt.c, `len` in
 * PK11_CloneContext): a gigabyte, often. */
static void clone_to(struct place *p, const struct call *c) {
    if (!p->m->digest || p->ended)
        return;
    struct pair pair = pair_clone(p->pair);
    struct place *to = &places[c->other];
    if (!pair.bare || !pair.hooked)
        return;
    if (to->live)
        destroy(to);
    struct saved saved = to->saved;
    *to = *p;
    to->pair = pair;
    to->live = true;
    to->saved = saved;
    to->destroyed = NULL;
}

static void import(const struct call *c) {
    unsigned char bytes[64];
    const struct mechanism *m = &mechanisms[c->mechanism];
    if (keys[c->key].bare)
        return;
    fill(bytes, sizeof bytes, c->random);
    CK_ATTRIBUTE_TYPE as = m->signs ? CKA_SIGN : !c->odd ? CKA_ENCRYPT : c->random % 2 ? CKA_UNWRAP : CKA_DECRYPT;
    keys[c->key] = pair_import(m->type, as, bytes, c->length);
}

static void free_key(struct keys *k) {
    if (k->bare && k->hooked)
        pair_free_keys(*k);
    *k = (struct keys){0};
}

static void disturb(const struct call *c) {
#ifdef WITH_CORE
    if (c->random % 8 == 0)
        cache_flush();
    else
        cache_age();
#else
    (void)c;
#endif
}

static void on_context(struct place *p, const struct call *c) {
    switch (c->kind) {
    case CALL_CIPHER:
        cipher(p, c);
        break;
    case CALL_FINAL:
        final(p, c);
        break;
    case CALL_BEGIN:
        begin(p);
        break;
    case CALL_DIGEST_OP:
        pair_digest_op(p->pair, c->in_null ? NULL : data + c->random % 16, c->random / 16 % 300);
        p->begins = p->begins || (!c->in_null && c->random / 16 % 300);
        break;
    case CALL_DIGEST_KEY:
        if (keys[c->key].bare)
            pair_digest_key(p->pair, keys[c->key]);
        break;
    case CALL_FINALIZE:
        pair_finalize(p->pair);
        p->ended = true;
        break;
    case CALL_SAVE:
        pair_free_saved(p->saved);
        p->saved = pair_save(p->pair);
        break;
    case CALL_RESTORE:
        pair_restore(p->pair, places[c->other].saved);
        p->ended = true;
        break;
    case CALL_CLONE:
        clone_to(p, c);
        break;
    case CALL_FIPS:
        pair_fips(p->pair);
        break;
    default:
        destroy(p);
        break;
    }
}

static void run_call(const struct call *c) {
    struct place *p = &places[c->context];
    unsigned long long before = pair_calls;
    switch (c->kind) {
    case CALL_IMPORT:
        import(c);
        break;
    case CALL_FREE_KEY:
        free_key(&keys[c->key]);
        break;
    case CALL_KEY_DATA:
        if (keys[c->key].bare)
            pair_key_data(keys[c->key]);
        break;
    case CALL_CREATE:
        create(c);
        break;
    case CALL_BEST_SLOT:
        pair_best_slot(mechanisms[c->mechanism].type);
        break;
    case CALL_DISTURB:
        disturb(c);
        break;
    case CALL_STALE:
        if (p->destroyed)
            pair_stale(p->destroyed, c->random);
        break;
    default:
        if (p->live)
            on_context(p, c);
    }
    calls_of[c->kind] += pair_calls - before;
    const struct mechanism *m = p->m ? p->m : &mechanisms[c->mechanism];
    calls_by[m - mechanisms][p->decrypt] += pair_calls - before;
}

void sequence_run(const struct sequence *s) {
    memset(places, 0, sizeof places);
    pair_sequence(s->seed, "");
    fill(data, 8192, (uint32_t)s->seed);
    for (unsigned i = 0; i < s->count && !pair_different; i++)
        run_call(&s->calls[i]);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        if (places[i].live)
            destroy(&places[i]);
        pair_free_saved(places[i].saved);
    }
    for (unsigned i = 0; i < KEYS; i++)
        free_key(&keys[i]);
}

void sequence_shrink(struct sequence *s) {
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (unsigned i = s->count; i-- > 0;) {
            struct sequence tried = *s;
            memmove(&tried.calls[i], &tried.calls[i + 1], (--tried.count - i) * sizeof *tried.calls);
            sequence_run(&tried);
            if (pair_different) {
                *s = tried;
                shorter = true;
            }
        }
    }
    sequence_run(s);
}

void sequence_table(FILE *to) {
    static const char *const names[CALL_KINDS] = {
        "import",   "free key", "key data", "create", "cipher op",   "final",   "begin", "digest op", "digest key",
        "finalize", "save",     "restore",  "clone",  "FIPS status", "destroy", "stale", "best slot", "disturb"};
    fprintf(to, "%-18s %12s %12s\n", "calls", "encrypt/sign", "decrypt");
    for (unsigned i = 0; i < mechanisms_count; i++)
        fprintf(to, "%-18s %12llu %12llu\n", mechanisms[i].name, calls_by[i][0], calls_by[i][1]);
    for (unsigned i = 0; i < CALL_KINDS; i++)
        fprintf(to, "%s %llu%s", names[i], calls_of[i], i + 1 < CALL_KINDS ? ", " : "\n");
}

unsigned long long sequence_handles(void) {
    return handles_cbc;
}
