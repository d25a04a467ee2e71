/* random.c - repeatable draws: public and party streams.
 *
 * A stream is ChaCha20 with key = BLAKE2b(domain, seed, party, purpose) and
 * nonce = step. The layout of what is hashed, the order in which bytes are
 * used and the way from bytes to numbers are part of the stored format:
 * studies are replayed from their seeds, so none of it may ever change. */
#include "base/random.h"

#include "base/bytes.h"

#include <math.h>
#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAIN_SIZE = 24, BLOCK = 64 };

static void start_sodium(void)
{
    /* Fails only where the system has no source of entropy at all: no private
     * study may run there, and nobody up the stack could do better. */
    if (sodium_init() < 0)
        abort();
}

void tc_random_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_sodium);
}

/* ---- seeds */

static void seed_from(uint8_t out[32], const char domain[DOMAIN_SIZE], uint64_t seed)
{
    uint8_t in[DOMAIN_SIZE + 8];
    memcpy(in, domain, DOMAIN_SIZE);
    tc_put_le(in + DOMAIN_SIZE, seed, 8);
    tc_random_start();
    crypto_generichash(out, 32, in, sizeof in, NULL, 0);
}

tc_public_seed tc_public_seed_from(uint64_t seed)
{
    tc_public_seed s;
    seed_from(s.bytes, "tacit public seed 1\0\0\0\0", seed);
    return s;
}

tc_party_seed tc_party_seed_from(uint64_t seed)
{
    tc_party_seed s;
    seed_from(s.bytes, "tacit party seed 1\0\0\0\0\0", seed);
    return s;
}

tc_public_seed tc_public_seed_fresh(void)
{
    tc_public_seed s;
    tc_random_start();
    randombytes_buf(s.bytes, sizeof s.bytes);
    return s;
}

tc_party_seed tc_party_seed_fresh(void)
{
    tc_party_seed s;
    tc_random_start();
    randombytes_buf(s.bytes, sizeof s.bytes);
    return s;
}

/* ---- streams */

static void make_key(uint8_t key[32], const char domain[DOMAIN_SIZE], const uint8_t seed[32],
                     uint64_t party, tc_purpose purpose)
{
    uint8_t in[DOMAIN_SIZE + 32 + 8 + 4];
    memcpy(in, domain, DOMAIN_SIZE);
    memcpy(in + DOMAIN_SIZE, seed, 32);
    tc_put_le(in + DOMAIN_SIZE + 32, party, 8);
    tc_put_le(in + DOMAIN_SIZE + 40, (uint64_t)purpose, 4);
    tc_random_start();
    crypto_generichash(key, 32, in, sizeof in, NULL, 0);
    sodium_memzero(in, sizeof in); /* a party seed is a secret */
}

/* Nothing of the stream is computed before it is used. */
static void begin(tc_stream *s, uint64_t step)
{
    s->nonce = step;
    s->block = 0;
    s->used = sizeof s->buf;
    s->spare_set = false;
    s->spare = 0;
}

void tc_stream_public(tc_stream *s, const tc_public_seed *seed, tc_purpose purpose, uint64_t step)
{
    make_key(s->key, "tacit public stream 1\0\0", seed->bytes, 0, purpose);
    begin(s, step);
}

tc_party_key tc_party_key_of(const tc_party_seed *seed, uint64_t party, tc_purpose purpose)
{
    tc_party_key key;
    make_key(key.bytes, "tacit party stream 1\0\0\0", seed->bytes, party, purpose);
    return key;
}

void tc_stream_keyed(tc_stream *s, const tc_party_key *key, uint64_t step)
{
    memcpy(s->key, key->bytes, sizeof s->key);
    begin(s, step);
}

void tc_stream_party(tc_stream *s, const tc_party_seed *seed, uint64_t party, tc_purpose purpose,
                     uint64_t step)
{
    tc_party_key key = tc_party_key_of(seed, party, purpose);
    tc_stream_keyed(s, &key, step);
}

/* The next blocks go to the end of buf: `least` bytes or a few more. */
static void refill(tc_stream *s, size_t least)
{
    uint8_t nonce[8];
    size_t blocks = (least + BLOCK - 1) / BLOCK, most = sizeof s->buf / BLOCK;
    size_t n = (blocks < most ? blocks : most) * BLOCK;
    uint8_t *to = s->buf + sizeof s->buf - n;
    tc_put_le(nonce, s->nonce, sizeof nonce);
    memset(to, 0, n);
    crypto_stream_chacha20_xor_ic(to, to, n, nonce, s->block, s->key);
    s->block += n / BLOCK;
    s->used = sizeof s->buf - n;
}

/* ---- draws */

/* Many streams serve a single draw: the first block alone, then as many as fit. */
uint64_t tc_draw_u64(tc_stream *s)
{
    if (s->used == sizeof s->buf)
        refill(s, s->block == 0 ? BLOCK : sizeof s->buf);
    uint64_t v = tc_get_le(s->buf + s->used, 8);
    s->used += 8;
    return v;
}

void tc_draw_words(tc_stream *s, size_t n, uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (s->used == sizeof s->buf)
            refill(s, 8 * (n - i));
        out[i] = tc_get_le(s->buf + s->used, 8);
        s->used += 8;
    }
}

uint64_t tc_draw_below(tc_stream *s, uint64_t n)
{
    /* The lowest 2^64 mod n values are drawn again: what is left is a multiple of n. */
    uint64_t excess = (UINT64_MAX - n + 1) % n;
    uint64_t v;
    do
        v = tc_draw_u64(s);
    while (v < excess);
    return v % n;
}

double tc_draw_uniform(tc_stream *s)
{
    return (double)(tc_draw_u64(s) >> 11) * 0x1p-53;
}

/* Box and Muller: two uniforms make two normals. sincos is called by name,
 * because some compilers merge sin and cos into it and some do not. */
double tc_draw_normal(tc_stream *s)
{
    if (s->spare_set) {
        s->spare_set = false;
        return s->spare;
    }
    double radius = sqrt(-2 * log(1 - tc_draw_uniform(s))); /* 1 - u is in (0,1] */
    double angle = 2 * M_PI * tc_draw_uniform(s);
    double sine, cosine;
    sincos(angle, &sine, &cosine);
    s->spare = radius * sine;
    s->spare_set = true;
    return radius * cosine;
}

void tc_draw_normals(tc_stream *s, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = tc_draw_normal(s);
}

double tc_draw_chi2(tc_stream *s, unsigned dof)
{
    double sum = 0;
    for (unsigned i = 0; i < dof; i++) {
        double z = tc_draw_normal(s);
        sum += z * z;
    }
    return sum;
}

/* Fisher and Yates, growing the permutation from nothing. */
void tc_draw_permutation(tc_stream *s, size_t n, size_t *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)tc_draw_below(s, i + 1);
        out[i] = i;
        out[i] = out[j];
        out[j] = i;
    }
}
