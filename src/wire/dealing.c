/* dealing.c - uploads of shares in boxes (dealing.h).
 *
 * All that looks random in an upload is a keyed hash of the dealer's secret and of what it is for: the id of round, sender and
 * values; the shares' own secret and the ephemeral key of the head with that id; a nonce of the recipient's key and the plaintext.
 * So an upload made again has the same bytes, and one with other contents shares neither id, nor polynomials, nor a key or nonce with
 * it. An ephemeral key seals one message for each trustee, so that the outer nonce can be zero. */
#include "wire/dealing.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#include <sodium.h>
#include <string.h>

static const char magic[4] = {'T', 'D', 'L', '1'};

enum {
    KIND_AT = 16,
    ID_AT = TC_DEALING_HEAD - TC_DEALING_ID,
    KEY = crypto_box_PUBLICKEYBYTES,
    MAC = crypto_box_MACBYTES,
    NONCE = crypto_box_NONCEBYTES,
    INNER = NONCE + MAC + TC_BOX_CONTEXT /* of what is inside the outer box, without the share */
};
_Static_assert(TC_BOX_OVERHEAD == KEY + MAC + INNER, "form of a box");
_Static_assert(ID_AT == KIND_AT + 1 + 8 + 4, "form of a head");

static const uint8_t zero_nonce[NONCE] = {0};

/* ---- keys */

void tc_box_keys_fresh(tc_box_key *p, tc_box_secret *s)
{
    tc_random_start();
    (void)crypto_box_keypair(p->bytes, s->bytes);
}

void tc_box_keys_from(tc_box_key *p, tc_box_secret *s, const uint8_t seed[32])
{
    tc_random_start();
    (void)crypto_box_seed_keypair(p->bytes, s->bytes, seed);
}

bool tc_box_key_holds(const tc_box_key *p)
{
    static const uint8_t any[crypto_scalarmult_SCALARBYTES] = {8};
    uint8_t out[crypto_scalarmult_BYTES];
    tc_random_start();
    return crypto_scalarmult(out, any, p->bytes) == 0;
}

/* ---- form */

size_t tc_dealing_box_size(const tc_trustees *t, uint32_t k, size_t words)
{
    return TC_BOX_OVERHEAD + tc_share_size(t, k, words);
}

/* Where trustee k's box begins; k = K: the size of all. */
static size_t box_offset(const tc_trustees *t, uint32_t k, size_t words)
{
    return TC_DEALING_HEAD + (size_t)k * TC_BOX_OVERHEAD + tc_share_offset(t, k, words);
}

size_t tc_dealing_size(const tc_trustees *t, size_t words)
{
    return box_offset(t, t->count, words);
}

static void put_head(const tc_dealing_head *h, uint8_t out[TC_DEALING_HEAD])
{
    memcpy(out, magic, sizeof magic);
    tc_put_le(out + 4, h->epoch, 4);
    tc_put_le(out + 8, h->round, 8);
    out[KIND_AT] = (uint8_t)h->kind;
    tc_put_le(out + KIND_AT + 1, h->number, 8);
    tc_put_le(out + KIND_AT + 9, h->words, 4);
    memcpy(out + ID_AT, h->id, sizeof h->id);
}

static tc_dealing_head get_head(const uint8_t *b)
{
    tc_dealing_head h = {.epoch = (uint32_t)tc_get_le(b + 4, 4),
                         .round = tc_get_le(b + 8, 8),
                         .kind = (tc_dealer_kind)b[KIND_AT],
                         .number = tc_get_le(b + KIND_AT + 1, 8),
                         .words = (uint32_t)tc_get_le(b + KIND_AT + 9, 4)};
    memcpy(h.id, b + ID_AT, sizeof h.id);
    return h;
}

tacit_status tc_dealing_read(const tc_trustees *t, const void *bytes, size_t n,
                             tc_dealing_head *out, tacit_error *err)
{
    if (n < TC_DEALING_HEAD || memcmp(bytes, magic, sizeof magic) != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a dealing begins with \"TDL1\" and has a head of %d bytes, got %zu bytes",
                       TC_DEALING_HEAD, n);
    const tc_dealing_head h = get_head(bytes);
    if (h.kind != TC_DEALER_AGENT && h.kind != TC_DEALER_TRUSTEE)
        return tc_fail(err, TACIT_E_ARG,
                       "the kind of a dealing must be 1 (agent) or 2 (trustee), got %d",
                       (int)h.kind);
    if (h.kind == TC_DEALER_TRUSTEE && h.number >= t->count)
        return tc_fail(err, TACIT_E_ARG,
                       "the number of a trustee that deals must be in 0..%u, got %llu",
                       (unsigned)t->count - 1, (unsigned long long)h.number);
    if (h.words == 0 || h.words > TC_SHARE_MOST_WORDS)
        return tc_fail(err, TACIT_E_ARG, "a dealing has 1 to %zu words, got %u",
                       TC_SHARE_MOST_WORDS, (unsigned)h.words);
    if (n != tc_dealing_size(t, h.words))
        return tc_fail(err, TACIT_E_ARG,
                       "a dealing of %u words to %u trustees has %zu bytes, got %zu",
                       (unsigned)h.words, (unsigned)t->count, tc_dealing_size(t, h.words), n);
    *out = h;
    return TACIT_OK;
}

static tacit_status check_member(const char *what, uint64_t want, uint64_t got, tacit_error *err)
{
    if (want == got)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "the %s of this dealing must be %llu, got %llu", what,
                   (unsigned long long)want, (unsigned long long)got);
}

tacit_status tc_dealing_check(const tc_trustees *t, const tc_dealing_head *want, const void *bytes,
                              size_t n, tc_dealing_head *out, tacit_error *err)
{
    tc_dealing_head h;
    TC_TRY(tc_dealing_read(t, bytes, n, &h, err));
    TC_TRY(check_member("epoch", want->epoch, h.epoch, err));
    TC_TRY(check_member("round", want->round, h.round, err));
    TC_TRY(check_member("kind", want->kind, h.kind, err));
    TC_TRY(check_member("sender's number", want->number, h.number, err));
    TC_TRY(check_member("number of words", want->words, h.words, err));
    *out = h;
    return TACIT_OK;
}

const uint8_t *tc_dealing_box(const tc_trustees *t, const void *bytes, uint32_t k)
{
    return (const uint8_t *)bytes + box_offset(t, k, get_head(bytes).words);
}

/* ---- what is inside */

/* All of a box that is not its share: "TBX1", roster, epoch, round, kind, sender, words, trustee, id, ephemeral key. */
static void context_of(const tacit_hash *roster, const tc_dealing_head *h, uint32_t k,
                       const uint8_t *ephemeral, uint8_t out[TC_BOX_CONTEXT])
{
    uint8_t laid[4 + 32 + 4 + 8 + 1 + 8 + 4 + 4 + TC_DEALING_ID + KEY] = {'T', 'B', 'X', '1'};
    uint8_t *at = laid + 4;
    memcpy(at, roster->bytes, 32);
    tc_put_le(at + 32, h->epoch, 4);
    tc_put_le(at + 36, h->round, 8);
    at[44] = (uint8_t)h->kind;
    tc_put_le(at + 45, h->number, 8);
    tc_put_le(at + 53, h->words, 4);
    tc_put_le(at + 57, k, 4);
    memcpy(at + 61, h->id, sizeof h->id);
    memcpy(at + 93, ephemeral, KEY);
    crypto_generichash(out, TC_BOX_CONTEXT, laid, sizeof laid, NULL, 0);
}

static const char *kind_name(tc_dealer_kind kind)
{
    return kind == TC_DEALER_TRUSTEE ? "trustee" : "agent";
}

/* ---- writing */

static void begin(crypto_generichash_state *h, const uint8_t *secret, const char *label, size_t n)
{
    crypto_generichash_init(h, secret, TC_SHARE_SECRET, 32);
    crypto_generichash_update(h, (const uint8_t *)label, strlen(label) + 1);
    uint8_t length[8];
    tc_put_le(length, n, sizeof length);
    crypto_generichash_update(h, length, sizeof length);
}

static void end(crypto_generichash_state *h, uint8_t *out, size_t n)
{
    uint8_t hash[32];
    crypto_generichash_final(h, hash, sizeof hash);
    memcpy(out, hash, n);
    sodium_memzero(hash, sizeof hash);
    sodium_memzero(h, sizeof *h);
}

static void make_id(const tc_dealer *d, const uint8_t *secret, const int64_t *values, size_t n,
                    tc_dealing_head *head)
{
    crypto_generichash_state h;
    uint8_t bytes[TC_DEALING_HEAD];
    put_head(head, bytes);
    begin(&h, secret, "tacit dealing id 1", n);
    crypto_generichash_update(&h, d->roster.bytes, sizeof d->roster.bytes);
    crypto_generichash_update(&h, bytes, ID_AT);
    for (size_t j = 0; j < n; j++) {
        uint8_t word[8];
        tc_put_le(word, (uint64_t)values[j], sizeof word);
        crypto_generichash_update(&h, word, sizeof word);
        sodium_memzero(word, sizeof word);
    }
    end(&h, head->id, sizeof head->id);
}

/* For one purpose in this one dealing, whatever the caller's secret is used for besides. */
static void make_secret(const tc_dealer *d, const uint8_t *secret, const char *label,
                        const uint8_t *head, uint8_t out[32])
{
    crypto_generichash_state h;
    begin(&h, secret, label, TC_DEALING_HEAD);
    crypto_generichash_update(&h, d->roster.bytes, sizeof d->roster.bytes);
    crypto_generichash_update(&h, head, TC_DEALING_HEAD);
    end(&h, out, 32);
}

static void make_nonce(const uint8_t *secret, const tc_box_key *to, const uint8_t *plain, size_t n,
                       uint8_t out[NONCE])
{
    crypto_generichash_state h;
    begin(&h, secret, "tacit dealing nonce 1", n);
    crypto_generichash_update(&h, to->bytes, sizeof to->bytes);
    crypto_generichash_update(&h, plain, n);
    end(&h, out, NONCE);
}

/* Everything secret that an upload is made of; erased by end_writing. */
typedef struct writing {
    const tc_dealer *d;
    const uint8_t *secret;
    tc_dealing_head head;
    tc_box_secret mine, ephemeral;
    tc_box_key ephemeral_key;
    uint8_t *shares, *plain, *inner;
    size_t n_shares, n_plain, n_inner;
} writing;

/* A box in a box: the inner one by the sender's identity, the outer one by the ephemeral key. */
static tacit_status seal(const writing *w, uint32_t k, uint8_t *box, tacit_error *err)
{
    const tc_trustees *t = &w->d->trustees;
    const tc_box_key *to = &w->d->keys[k];
    const size_t size = tc_share_size(t, k, w->head.words), n = TC_BOX_CONTEXT + size;
    context_of(&w->d->roster, &w->head, k, w->ephemeral_key.bytes, w->plain);
    memcpy(w->plain + TC_BOX_CONTEXT, w->shares + tc_share_offset(t, k, w->head.words), size);
    make_nonce(w->secret, to, w->plain, n, w->inner);
    memcpy(box, w->ephemeral_key.bytes, KEY);
    if (crypto_box_easy(w->inner + NONCE, w->plain, n, w->inner, to->bytes, w->mine.bytes) == 0 &&
        crypto_box_easy(box + KEY, w->inner, INNER + size, zero_nonce, to->bytes,
                        w->ephemeral.bytes) == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "the key of trustee %u for round %llu is none", (unsigned)k,
                   (unsigned long long)w->head.round);
}

static tacit_status write_all(writing *w, const int64_t *values, uint8_t *out, tacit_error *err)
{
    const tc_trustees *t = &w->d->trustees;
    uint8_t secret[TC_SHARE_SECRET];
    make_id(w->d, w->secret, values, w->head.words, &w->head);
    put_head(&w->head, out);
    make_secret(w->d, w->secret, "tacit dealing ephemeral 1", out, secret);
    tc_box_keys_from(&w->ephemeral_key, &w->ephemeral, secret);
    make_secret(w->d, w->secret, "tacit dealing shares 1", out, secret);
    tc_share_deal(t, secret, values, w->head.words, w->shares);
    sodium_memzero(secret, sizeof secret);
    for (uint32_t k = 0; k < t->count; k++)
        TC_TRY(seal(w, k, out + box_offset(t, k, w->head.words), err));
    return TACIT_OK;
}

static tacit_status begin_writing(writing *w, tacit_error *err)
{
    const tc_trustees *t = &w->d->trustees;
    w->n_shares = tc_share_offset(t, t->count, w->head.words);
    w->n_plain = TC_BOX_CONTEXT + TC_SHARE_SEED + 8 * (size_t)w->head.words;
    w->shares = tc_alloc(w->n_shares, 1);
    w->plain = tc_alloc(w->n_plain, 1);
    w->n_inner = w->n_plain + NONCE + MAC;
    w->inner = tc_alloc(w->n_inner, 1);
    if (!w->shares || !w->plain || !w->inner)
        return tc_fail_memory(err);
    if (crypto_sign_ed25519_sk_to_curve25519(w->mine.bytes, w->d->identity->bytes) != 0)
        return tc_fail(err, TACIT_E_ARG, "the identity of %s %llu is no Ed25519 key",
                       kind_name(w->d->kind), (unsigned long long)w->d->number);
    return TACIT_OK;
}

static void end_writing(writing *w)
{
    if (w->shares)
        sodium_memzero(w->shares, w->n_shares);
    if (w->plain)
        sodium_memzero(w->plain, w->n_plain);
    if (w->inner)
        sodium_memzero(w->inner, w->n_inner);
    tc_free(w->shares);
    tc_free(w->plain);
    tc_free(w->inner);
    sodium_memzero(w, sizeof *w);
}

/* One bit comes out, whatever the values are. */
static bool beyond_field(const int64_t *values, size_t n)
{
    uint64_t beyond = 0;
    for (size_t j = 0; j < n; j++) {
        const uint64_t word = (uint64_t)values[j];
        beyond |= ((uint64_t)TC_FIELD_MOST - word) | ((uint64_t)TC_FIELD_MOST + word);
    }
    return beyond >> 63;
}

tacit_status tc_dealing_write(const tc_dealer *d, const uint8_t secret[TC_SHARE_SECRET],
                              const int64_t *values, size_t n, uint8_t *out, tacit_error *err)
{
    if (n == 0 || n > TC_SHARE_MOST_WORDS)
        return tc_fail(err, TACIT_E_ARG, "a dealing has 1 to %zu words, got %zu",
                       TC_SHARE_MOST_WORDS, n);
    if (beyond_field(values, n))
        return tc_fail(err, TACIT_E_ARG, "a value that is dealt must be within +-(2^60 - 1)");
    tc_random_start();
    writing w = {.d = d,
                 .secret = secret,
                 .head = {.epoch = d->epoch,
                          .round = d->round,
                          .kind = d->kind,
                          .number = d->number,
                          .words = (uint32_t)n}};
    tacit_status status = begin_writing(&w, err);
    if (status == TACIT_OK)
        status = write_all(&w, values, out, err);
    end_writing(&w);
    return status;
}

/* ---- opening */

/* What is inside the box goes into `inner`, and the plaintext behind its nonce and MAC, in place. False: it is not from that sender to
 * this key, or was changed. */
static bool unseal(const tc_public_key *sender, const tc_box_secret *mine, const uint8_t *box,
                   size_t n, uint8_t *inner)
{
    tc_box_key from;
    uint8_t *sealed = inner + NONCE;
    const size_t n_inner = n - KEY - MAC;
    return crypto_box_open_easy(inner, box + KEY, n - KEY, zero_nonce, box, mine->bytes) == 0 &&
           crypto_sign_ed25519_pk_to_curve25519(from.bytes, sender->bytes) == 0 &&
           crypto_box_open_detached(sealed + MAC, sealed + MAC, sealed, n_inner - NONCE - MAC,
                                    inner, from.bytes, mine->bytes) == 0;
}

static tacit_status open_into(const tacit_hash *roster, const tc_dealing_head *head,
                              const tc_public_key *sender, uint32_t k, const tc_box_secret *mine,
                              const uint8_t *box, size_t n, uint8_t *inner, tacit_error *err)
{
    uint8_t context[TC_BOX_CONTEXT];
    if (!unseal(sender, mine, box, n, inner))
        return tc_fail(err, TACIT_E_ARG,
                       "the box of %s %llu for trustee %u in round %llu does not open with the "
                       "keys of these two: somebody else made it, or it was changed",
                       kind_name(head->kind), (unsigned long long)head->number, (unsigned)k,
                       (unsigned long long)head->round);
    context_of(roster, head, k, box, context);
    if (sodium_memcmp(context, inner + NONCE + MAC, sizeof context) != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "the box of %s %llu for trustee %u in round %llu was made for another "
                       "roster, epoch, round, trustee or dealing",
                       kind_name(head->kind), (unsigned long long)head->number, (unsigned)k,
                       (unsigned long long)head->round);
    return TACIT_OK;
}

tacit_status tc_dealing_open(const tc_trustees *t, const tacit_hash *roster,
                             const tc_dealing_head *head, const tc_public_key *sender, uint32_t k,
                             const tc_box_secret *mine, const uint8_t *box, size_t n,
                             uint8_t *share, tacit_error *err)
{
    const size_t size = tc_dealing_box_size(t, k, head->words);
    if (n != size)
        return tc_fail(
            err, TACIT_E_ARG, "the box of %s %llu for trustee %u must have %zu bytes, got %zu",
            kind_name(head->kind), (unsigned long long)head->number, (unsigned)k, size, n);
    uint8_t *inner = tc_alloc(n, 1);
    if (!inner)
        return tc_fail_memory(err);
    tc_random_start();
    tacit_status status = open_into(roster, head, sender, k, mine, box, n, inner, err);
    if (status == TACIT_OK)
        memcpy(share, inner + INNER, tc_share_size(t, k, head->words));
    sodium_memzero(inner, n);
    tc_free(inner);
    return status;
}
