/* input.h - how a fuzz target reads its input: numbers and pieces from the front, zeros after the end.
 *
 * A target that has something genuine (a message, a broadcast, an answer) lets the input spoil it:
 * fuzz_spoil cuts and inserts at places that the input says. So the search begins deep inside, where
 * random bytes alone never come. */
#ifndef TACIT_TESTS_FUZZ_INPUT_H
#define TACIT_TESTS_FUZZ_INPUT_H

#include "fuzz.h"

#include "base/memory.h"

#include <string.h>

typedef struct fuzz_input {
    const uint8_t *p;
    size_t left;
} fuzz_input;

static inline uint8_t fuzz_byte(fuzz_input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->p++;
}

static inline size_t fuzz_u16(fuzz_input *in)
{
    size_t low = fuzz_byte(in);
    return low | (size_t)fuzz_byte(in) << 8;
}

/* The next n bytes, or what there is of them. */
static inline const uint8_t *fuzz_bytes(fuzz_input *in, size_t n, size_t *got)
{
    const uint8_t *p = in->p;
    *got = n < in->left ? n : in->left;
    in->p += *got;
    in->left -= *got;
    return p;
}

typedef struct fuzz_piece {
    uint8_t *bytes; /* of exactly n bytes, so that reading past them is seen; end with free */
    size_t n;
} fuzz_piece;

static inline fuzz_piece fuzz_copy(const void *bytes, size_t n)
{
    fuzz_piece out = {malloc(n ? n : 1), n};
    REQUIRE(out.bytes);
    if (n > 0)
        memcpy(out.bytes, bytes, n);
    return out;
}

/* One change: at `place` some bytes are cut and others put in. */
static inline void fuzz_change(fuzz_input *in, fuzz_piece *m)
{
    size_t place = fuzz_u16(in), cut = fuzz_byte(in), put = fuzz_byte(in);
    const uint8_t *bytes = fuzz_bytes(in, put, &put);
    place = m->n ? place % (m->n + 1) : 0;
    cut = cut < m->n - place ? cut : m->n - place;
    fuzz_piece out = {malloc(m->n - cut + put + 1), m->n - cut + put};
    REQUIRE(out.bytes);
    if (place > 0)
        memcpy(out.bytes, m->bytes, place);
    if (put > 0)
        memcpy(out.bytes + place, bytes, put);
    if (m->n > place + cut)
        memcpy(out.bytes + place + put, m->bytes + place + cut, m->n - place - cut);
    free(m->bytes);
    *m = fuzz_copy(out.bytes, out.n);
    free(out.bytes);
}

/* The genuine bytes with 0 to 7 changes, or in their place any bytes at all. */
static inline fuzz_piece fuzz_spoil(fuzz_input *in, const void *genuine, size_t n)
{
    unsigned how = fuzz_byte(in);
    if (how & 8) {
        size_t got;
        const uint8_t *bytes = fuzz_bytes(in, fuzz_u16(in), &got);
        return fuzz_copy(bytes, got);
    }
    fuzz_piece out = fuzz_copy(genuine, n);
    for (how &= 7; how > 0; how--)
        fuzz_change(in, &out);
    return out;
}

#endif
