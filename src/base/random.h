/* random.h - the three sources of randomness, as three types.
 *
 *   public  a seed everybody knows: features, regions, partitions, designs
 *   party   a secret 32-byte seed of one party, never sent: Thompson draws
 *   noise   OS entropy, keyed afresh, erased after use: what hides data
 *
 * Public and party draws are keyed: key = BLAKE2b(seed, party, purpose),
 * nonce = step (a trial or round number). So every draw is a function of
 * (seed, party, purpose, step), whatever ran before it and in which thread.
 * A tc_noise cannot be made from a seed and a tc_stream cannot be made from
 * entropy: the compiler keeps them apart. */
#ifndef TC_BASE_RANDOM_H
#define TC_BASE_RANDOM_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tc_public_seed {
    uint8_t bytes[32];
} tc_public_seed;
typedef struct tc_party_seed {
    uint8_t bytes[32];
} tc_party_seed;

/* What a stream is for. Numbers are part of the stored format: append only. */
typedef enum tc_purpose {
    TC_FOR_DESIGN = 1,       /* Sobol' scramble, random points */
    TC_FOR_FEATURES = 2,     /* shared random features W, b */
    TC_FOR_REGIONS = 3,      /* sub-regions, partitions */
    TC_FOR_FIT = 4,          /* starting points of a hyper-parameter fit */
    TC_FOR_CANDIDATES = 5,   /* starting points of an acquisition search */
    TC_FOR_DRAW = 6,         /* Thompson draws: features, weights, noise */
    TC_FOR_COIN = 7,         /* p_t coins and choices between agents */
    TC_FOR_MESSAGE = 8,      /* the published vector */
    TC_FOR_OBJECTIVE = 9,    /* a built-in objective's own shape */
    TC_FOR_OBSERVATION = 10, /* observation noise of a built-in objective */
    TC_FOR_RUN = 11,         /* seeds of the runs of a simulation */
    TC_FOR_TEST_NOISE = 12,  /* test mode: stands in for a tc_noise; never private */
    TC_FOR_FILTER = 13       /* designs that agents might have, to read a broadcast by */
} tc_purpose;

/* A repeatable stream. Plain data: may be copied, needs no end. */
typedef struct tc_stream {
    uint8_t key[32];
    uint64_t nonce;
    uint64_t block; /* next 64-byte block of the ChaCha20 stream */
    size_t used;    /* bytes of buf already handed out */
    bool spare_set;
    double spare; /* second normal of a Box-Muller pair */
    uint8_t buf[512];
} tc_stream;

/* Seeds from a small integer (study documents, --seed) and from the OS. */
tc_public_seed tc_public_seed_from(uint64_t seed);
tc_party_seed tc_party_seed_from(uint64_t seed); /* test mode and plain studies only */
tc_public_seed tc_public_seed_fresh(void);
tc_party_seed tc_party_seed_fresh(void);

void tc_stream_public(tc_stream *s, const tc_public_seed *seed, tc_purpose purpose, uint64_t step);
void tc_stream_party(tc_stream *s, const tc_party_seed *seed, uint64_t party, tc_purpose purpose,
                     uint64_t step);

/* What the streams of a party for one purpose have in common, for who begins one at every step:
 * the same streams as tc_stream_party makes, without the hash. As secret as the seed. */
typedef struct tc_party_key {
    uint8_t bytes[32];
} tc_party_key;
tc_party_key tc_party_key_of(const tc_party_seed *seed, uint64_t party, tc_purpose purpose);
void tc_stream_keyed(tc_stream *s, const tc_party_key *key, uint64_t step);

uint64_t tc_draw_u64(tc_stream *s);
void tc_draw_words(tc_stream *s, size_t n, uint64_t *out); /* n of them */
uint64_t tc_draw_below(tc_stream *s, uint64_t n);          /* uniform on 0..n-1; n > 0; unbiased */
double tc_draw_uniform(tc_stream *s);                      /* [0,1), 53 bits */
double tc_draw_normal(tc_stream *s);                       /* N(0,1) */
void tc_draw_normals(tc_stream *s, size_t n, double *out);
double tc_draw_chi2(tc_stream *s, unsigned dof); /* sum of dof squared normals */
void tc_draw_permutation(tc_stream *s, size_t n, size_t *out);

/* Entropy for what must not be repeatable. One tc_noise per release, one thread at a time. The only
 * state beside it is a word that tells processes apart (noise.c). */
typedef struct tc_noise {
    uint8_t key[32]; /* of the next buffer */
    size_t used;
    uint64_t process; /* who drew last: a forked child must not go on with its parent's stream */
    uint8_t buf[1024];
} tc_noise;

/* The word that tells them apart: random, never zero, another in a child than in its parent. For
 * code that keeps drawn noise: used on both sides of a fork, the same noise hides nothing. */
uint64_t tc_this_process(void);

void tc_noise_init(tc_noise *n);
uint64_t tc_noise_u64(tc_noise *n); /* re-keys itself after a fork */
void tc_noise_fini(tc_noise *n);    /* erases key and buffer */

/* libsodium's one-time start; called by tc_stream_*, tc_this_process and seeds. */
void tc_random_start(void);

#endif
