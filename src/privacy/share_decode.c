/* share_decode.c - opening sums: what trustees answered is checked, interpolated, and who answered wrongly is found (share.h).
 *
 * Answers are the values at 1..K of one polynomial of degree t in each coordinate, a Reed-Solomon code of distance m - t for m
 * answers. Where they do not fit together, the wrong ones are looked for in one random combination of all coordinates, whose weights are
 * drawn from a hash of the answers, after these are known: whose answer is wrong anywhere has a wrong combination, but with
 * probability 2^-61. As K <= 16 and at most 3 can be named, all sets of so many are tried, fewest first: 696 at most. What was
 * found is then checked in every coordinate. */
#include "privacy/share_int.h"

#include "base/bytes.h"
#include "base/random.h"

#include <sodium.h>
#include <stdbool.h>

typedef struct opening {
    const tc_trustees *terms;
    const uint64_t *const *answers;
    size_t words;
} opening;

/* The first t + 1 trustees of a set. */
typedef struct base {
    uint32_t members; /* the same as a set */
    size_t n;
    uint64_t points[TC_TRUSTEES_MOST];
    const uint64_t *rows[TC_TRUSTEES_MOST];
} base;

static base base_of(const opening *o, uint32_t set)
{
    base b = {0};
    for (uint32_t k = 0; k < o->terms->count && b.n <= o->terms->degree; k++) {
        if (!(set >> k & 1))
            continue;
        b.members |= UINT32_C(1) << k;
        b.points[b.n] = k + 1;
        b.rows[b.n++] = o->answers[k];
    }
    return b;
}

/* Do the answers of a set of more than t trustees lie on one polynomial, in every coordinate? */
static bool fits(const opening *o, uint32_t set)
{
    const base b = base_of(o, set);
    uint64_t weights[TC_TRUSTEES_MOST], off = 0;
    for (uint32_t k = 0; k < o->terms->count; k++) {
        if (!((set & ~b.members) >> k & 1))
            continue;
        tc_share_weights(b.points, b.n, k + 1, weights);
        for (size_t j = 0; j < o->words; j++)
            off |= tc_share_combine(weights, b.rows, b.n, j) ^ o->answers[k][j];
    }
    return off == 0;
}

static void interpolate(const opening *o, uint32_t set, int64_t *out)
{
    const base b = base_of(o, set);
    uint64_t weights[TC_TRUSTEES_MOST];
    tc_share_weights(b.points, b.n, 0, weights);
    for (size_t j = 0; j < o->words; j++)
        out[j] = tc_field_signed(tc_share_combine(weights, b.rows, b.n, j));
}

/* ---- who answered wrongly */

static void hash_answer(crypto_generichash_state *h, uint32_t k, const uint64_t *words, size_t n)
{
    uint8_t bytes[8];
    tc_put_le(bytes, k, sizeof bytes);
    crypto_generichash_update(h, bytes, sizeof bytes);
    for (size_t j = 0; j < n; j++) {
        tc_put_le(bytes, words[j], sizeof bytes);
        crypto_generichash_update(h, bytes, sizeof bytes);
    }
}

static void seed_of(const opening *o, uint32_t set, uint8_t seed[TC_SHARE_SEED])
{
    static const char label[] = "tacit combination 1";
    crypto_generichash_state h;
    crypto_generichash_init(&h, (const uint8_t *)label, sizeof label, TC_SHARE_SEED);
    for (uint32_t k = 0; k < o->terms->count; k++)
        if (set >> k & 1)
            hash_answer(&h, k, o->answers[k], o->words);
    crypto_generichash_final(&h, seed, TC_SHARE_SEED);
}

/* sums[k] = sum over j of weight_j answers[k][j], for all of the set. */
static void combine_all(const opening *o, uint32_t set, uint64_t *sums)
{
    uint8_t seed[TC_SHARE_SEED];
    uint64_t weights[TC_SHARE_CHUNK];
    seed_of(o, set, seed);
    for (size_t first = 0; first < o->words; first += TC_SHARE_CHUNK) {
        const size_t some = o->words - first < TC_SHARE_CHUNK ? o->words - first : TC_SHARE_CHUNK;
        tc_share_expand(seed, first, some, weights);
        for (uint32_t k = 0; k < o->terms->count; k++)
            for (size_t j = 0; set >> k & 1 && j < some; j++)
                sums[k] = tc_field_add(sums[k], tc_field_mul(weights[j], o->answers[k][first + j]));
    }
}

/* The set of exactly `left` trustees of `set`, from trustee k on, without which the rest fits; 0: there is none. */
static uint32_t find(const opening *o, uint32_t set, uint32_t without, uint32_t k, uint32_t left)
{
    if (left == 0)
        return fits(o, set & ~without) ? without : 0;
    for (; k < o->terms->count; k++) {
        const uint32_t one = set & UINT32_C(1) << k;
        const uint32_t found = one != 0 ? find(o, set, without | one, k + 1, left - 1) : 0;
        if (found != 0)
            return found;
    }
    return 0;
}

static uint32_t liars_of(const opening *o, uint32_t set, uint32_t most)
{
    uint64_t sums[TC_TRUSTEES_MOST] = {0};
    const uint64_t *rows[TC_TRUSTEES_MOST];
    uint32_t found = 0;
    for (uint32_t k = 0; k < o->terms->count; k++)
        rows[k] = &sums[k];
    combine_all(o, set, sums);
    const opening one = {.terms = o->terms, .answers = rows, .words = 1};
    for (uint32_t n = 1; n <= most && found == 0; n++)
        found = find(&one, set, 0, 0, n);
    return found;
}

tc_share_opening tc_share_open(const tc_trustees *t, const uint64_t *const *answers, size_t n,
                               int64_t *out)
{
    const opening o = {.terms = t, .answers = answers, .words = n};
    tc_share_opening found = {.finding = TC_SHARE_TOO_FEW};
    uint32_t m = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        found.answers |= answers[k] ? UINT32_C(1) << k : 0;
        m += answers[k] != NULL;
    }
    if (m <= t->degree)
        return found;
    tc_random_start();
    found.spare = tc_trustees_noticed(t, m);
    found.finding = TC_SHARE_CONSISTENT;
    if (!fits(&o, found.answers)) {
        found.liars = liars_of(&o, found.answers, tc_trustees_named(t, m));
        found.finding = TC_SHARE_LIARS;
    }
    if (found.finding == TC_SHARE_LIARS &&
        (found.liars == 0 || !fits(&o, found.answers & ~found.liars))) {
        found.liars = 0;
        found.finding = TC_SHARE_INCONSISTENT;
        return found;
    }
    interpolate(&o, found.answers & ~found.liars, out);
    return found;
}
