/* share.c - dealing shares, and adding them up (share.h).
 *
 * A vector is worked on in chunks: the seeds' words of a chunk stand beside its values, and the other shares are sums of these
 * with weights that depend on K and t only. Everything on the stack that is secret is erased. */
#include "privacy/share_int.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/random.h"

#include <sodium.h>

enum { WORD_BYTES = 16, BLOCK_BYTES = 64 }; /* of a seed's words, and of ChaCha20 */

size_t tc_share_size(const tc_trustees *t, uint32_t k, size_t n)
{
    return k < t->degree ? TC_SHARE_SEED : 8 * n;
}

size_t tc_share_offset(const tc_trustees *t, uint32_t k, size_t n)
{
    const size_t seeds = k < t->degree ? k : t->degree;
    return TC_SHARE_SEED * seeds + 8 * n * (k - seeds);
}

void tc_share_expand(const uint8_t seed[TC_SHARE_SEED], size_t first, size_t n, uint64_t *out)
{
    static const uint8_t nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    uint8_t bytes[TC_SHARE_CHUNK * WORD_BYTES] = {0};
    crypto_stream_chacha20_xor_ic(bytes, bytes, n * WORD_BYTES, nonce,
                                  first * WORD_BYTES / BLOCK_BYTES, seed);
    for (size_t j = 0; j < n; j++) {
        const uint8_t *b = bytes + j * WORD_BYTES;
        out[j] = tc_field_reduce_wide((tc_field_wide)tc_get_le(b + 8, 8) << 64 | tc_get_le(b, 8));
    }
    sodium_memzero(bytes, sizeof bytes);
}

void tc_share_weights(const uint64_t *points, size_t n, uint64_t at, uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t above = 1, below = 1;
        for (size_t j = 0; j < n; j++) {
            if (j == i)
                continue;
            above = tc_field_mul(above, tc_field_sub(at, points[j]));
            below = tc_field_mul(below, tc_field_sub(points[i], points[j]));
        }
        out[i] = tc_field_mul(above, tc_field_inverse(below));
    }
}

/* ---- dealing */

static void hash_words(crypto_generichash_state *h, const int64_t *values, size_t n)
{
    uint8_t bytes[8 * TC_SHARE_CHUNK];
    while (n > 0) {
        const size_t some = n < TC_SHARE_CHUNK ? n : TC_SHARE_CHUNK;
        for (size_t j = 0; j < some; j++)
            tc_put_le(bytes + 8 * j, (uint64_t)values[j], 8);
        crypto_generichash_update(h, bytes, 8 * some);
        values += some;
        n -= some;
    }
    sodium_memzero(bytes, sizeof bytes);
}

/* The seeds of trustees 0..t-1: under the secret, a hash of all that the dealing is of, and under that one for each. */
static void make_seeds(const tc_trustees *t, const uint8_t secret[TC_SHARE_SECRET],
                       const int64_t *values, size_t n, uint8_t *out)
{
    static const char label[] = "tacit dealing 1";
    uint8_t head[16], root[32];
    crypto_generichash_state h;
    tc_random_start();
    tc_put_le(head, t->count, 4);
    tc_put_le(head + 4, t->degree, 4);
    tc_put_le(head + 8, n, 8);
    crypto_generichash_init(&h, secret, TC_SHARE_SECRET, sizeof root);
    crypto_generichash_update(&h, (const uint8_t *)label, sizeof label);
    crypto_generichash_update(&h, head, sizeof head);
    hash_words(&h, values, n);
    crypto_generichash_final(&h, root, sizeof root);
    for (uint32_t k = 0; k < t->degree; k++) {
        uint8_t number[4];
        tc_put_le(number, k, sizeof number);
        crypto_generichash(out + (size_t)k * TC_SHARE_SEED, TC_SHARE_SEED, number, sizeof number,
                           root, sizeof root);
    }
    sodium_memzero(root, sizeof root);
    sodium_memzero(&h, sizeof h);
}

/* Points 0..t, where the value and the seeds' words are; weights[k] gives the share of trustee k >= t. */
typedef struct dealing {
    const tc_trustees *terms;
    size_t words;
    uint8_t *out;
    uint64_t weights[TC_TRUSTEES_MOST][TC_TRUSTEES_MOST];
} dealing;

static void set_weights(dealing *d)
{
    uint64_t points[TC_TRUSTEES_MOST];
    const uint32_t t = d->terms->degree;
    for (uint32_t i = 0; i <= t; i++)
        points[i] = i;
    for (uint32_t k = t; k < d->terms->count; k++)
        tc_share_weights(points, t + 1, k + 1, d->weights[k]);
}

static void deal_chunk(const dealing *d, const int64_t *values, size_t first, size_t n)
{
    const tc_trustees *t = d->terms;
    uint64_t words[TC_TRUSTEES_MOST][TC_SHARE_CHUNK];
    const uint64_t *rows[TC_TRUSTEES_MOST];
    for (uint32_t i = 0; i <= t->degree; i++)
        rows[i] = words[i];
    for (size_t j = 0; j < n; j++)
        words[0][j] = tc_field_from(values[first + j]);
    for (uint32_t k = 0; k < t->degree; k++)
        tc_share_expand(d->out + (size_t)k * TC_SHARE_SEED, first, n, words[k + 1]);
    for (uint32_t k = t->degree; k < t->count; k++) {
        uint8_t *share = d->out + tc_share_offset(t, k, d->words) + 8 * first;
        for (size_t j = 0; j < n; j++)
            tc_put_le(share + 8 * j, tc_share_combine(d->weights[k], rows, t->degree + 1, j), 8);
    }
    sodium_memzero(words, sizeof words);
}

void tc_share_deal(const tc_trustees *t, const uint8_t secret[TC_SHARE_SECRET],
                   const int64_t *values, size_t n, uint8_t *out)
{
    dealing d = {.terms = t, .words = n, .out = out};
    make_seeds(t, secret, values, n, out);
    set_weights(&d);
    for (size_t first = 0; first < n; first += TC_SHARE_CHUNK)
        deal_chunk(&d, values, first, n - first < TC_SHARE_CHUNK ? n - first : TC_SHARE_CHUNK);
}

/* ---- adding */

static void add_seed(const uint8_t *seed, size_t n, uint64_t *sums)
{
    uint64_t words[TC_SHARE_CHUNK];
    for (size_t first = 0; first < n; first += TC_SHARE_CHUNK) {
        const size_t some = n - first < TC_SHARE_CHUNK ? n - first : TC_SHARE_CHUNK;
        tc_share_expand(seed, first, some, words);
        for (size_t j = 0; j < some; j++)
            sums[first + j] = tc_field_add(sums[first + j], words[j]);
    }
    sodium_memzero(words, sizeof words);
}

/* The top bit of p - 1 - w is set where w >= p: all words are looked at, and one bit comes out. */
static uint64_t beyond_field(const uint8_t *share, size_t n)
{
    uint64_t beyond = 0;
    for (size_t j = 0; j < n; j++) {
        const uint64_t word = tc_get_le(share + 8 * j, 8);
        beyond |= (TC_FIELD_P - 1 - word) | word;
    }
    return beyond >> 63;
}

tacit_status tc_share_add(const tc_trustees *t, uint32_t k, const uint8_t *share, size_t n,
                          uint64_t *sums, tacit_error *err)
{
    if (k < t->degree) {
        add_seed(share, n, sums);
        return TACIT_OK;
    }
    if (beyond_field(share, n))
        return tc_fail(err, TACIT_E_ARG,
                       "the share for trustee %u has a word that is not below 2^61 - 1",
                       (unsigned)k);
    for (size_t j = 0; j < n; j++)
        sums[j] = tc_field_add(sums[j], tc_get_le(share + 8 * j, 8));
    return TACIT_OK;
}
