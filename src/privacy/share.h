/* share.h - vectors split among trustees, and the sum of many opened (Shamir 1979, over the field of share_field.h).
 *
 * Each coordinate v has a polynomial f of degree t with f(0) = v; trustee k = 0..K-1 holds f(k + 1). Any t shares are uniform
 * and independent of v, any t + 1 give it, and the sums of shares are the shares of the sums. K and t are those of trustees.h.
 *
 * Trustees 0..t-1 get their shares as a seed of 32 bytes, which ChaCha20 expands: t values of f at random and the one at 0 are
 * what determines it, and the shares of the others follow. A word of the field is made of 128 bits modulo p, and is
 * within 2^-67 of uniform in total variation, if what ChaCha20 makes is: 2^27 words are within 2^-40, and 2,000 coordinates in 4,096
 * rounds with t = 16 are fewer.
 *
 * A dealing is a function of the vector, a secret of 32 bytes and K and t: made again it is the same, byte for byte. Its
 * seeds are a keyed hash of all of these: were a secret used for two vectors by mistake, their dealings were independent still.
 *
 * Dealing and adding take a time that depends on public sizes only. Opening works on sums, which are public once
 * they are opened. Called by agents and trustees (deal, add), by the coordinator (open) and by simulations. */
#ifndef TC_PRIVACY_SHARE_H
#define TC_PRIVACY_SHARE_H

#include "privacy/share_field.h"
#include "privacy/trustees.h"

#include <stddef.h>
#include <stdint.h>

enum { TC_SHARE_SEED = 32, TC_SHARE_SECRET = 32 };
/* Words in a vector: as many coordinates as a sum may have (mechanism.h). */
#define TC_SHARE_MOST_WORDS ((size_t)1 << 24)

/* Bytes of trustee k's share of a vector of n words: 32, a seed, for k < t; else 8 n, little-endian words below p. */
size_t tc_share_size(const tc_trustees *t, uint32_t k, size_t n);
/* Where it begins in a dealing, which is the shares of trustees 0..K-1 one after the other; k = K: the size of all. */
size_t tc_share_offset(const tc_trustees *t, uint32_t k, size_t n);

/* Deals n integers of |v| <= TC_FIELD_MOST into tc_share_offset(t, K, n) bytes. The terms were checked. The caller
 * erases secret, values and what it has of the dealing. */
void tc_share_deal(const tc_trustees *t, const uint8_t secret[TC_SHARE_SECRET],
                   const int64_t *values, size_t n, uint8_t *out);

/* Adds a share that trustee k got to sums of n words below p, which begin as zeros. E_ARG: it has a word that is not below
 * p; then nothing was added. */
tacit_status tc_share_add(const tc_trustees *t, uint32_t k, const uint8_t *share, size_t n,
                          uint64_t *sums, tacit_error *err);

/* Whether the answers of an opening fit together. */
typedef enum tc_share_finding {
    TC_SHARE_CONSISTENT = 0,   /* all of them lie on one polynomial in every coordinate */
    TC_SHARE_LIARS = 1,        /* all but those of `liars` do, and no other set so small */
    TC_SHARE_INCONSISTENT = 2, /* they do not, and nobody can be named: there is no sum */
    TC_SHARE_TOO_FEW = 3       /* fewer than t + 1 answers */
} tc_share_finding;

typedef struct tc_share_opening {
    tc_share_finding finding;
    uint32_t answers, liars; /* sets of trustees: bit k is trustee k */
    uint32_t spare; /* answers beyond t + 1: 0: nothing was checked, whoever answered wrongly */
} tc_share_opening;

/* Opens sums of n words: answers[k] is trustee k's, words below p; NULL: it did not answer. `out`, n signed integers, is set
 * where the finding is CONSISTENT or LIARS, and else left as it was.
 *
 * With m answers, wrong ones of up to tc_trustees_noticed(t, m) trustees are noticed and of up to tc_trustees_named(t, m) are named.
 * Named is whose sum is wrong: that is a trustee that lied, or one to which an agent or another trustee dealt a share that
 * does not fit the others; which of them, these words do not tell. */
tc_share_opening tc_share_open(const tc_trustees *t, const uint64_t *const *answers, size_t n,
                               int64_t *out);

#endif
