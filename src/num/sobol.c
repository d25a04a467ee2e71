/* sobol.c - Sobol' points by Gray code (Antonov and Saleev 1979; Bratley and Fox 1988). */
#include "num/sobol.h"

#include "num/sobol_table.h"

#include <assert.h>

_Static_assert(sizeof sobol_table / sizeof *sobol_table == TC_SOBOL_DIM - 1, "one row a dimension");

/* The first dimension is van der Corput's: v_k = 2^-k. */
static void first_directions(uint64_t v[TC_SOBOL_BITS])
{
    for (unsigned k = 0; k < TC_SOBOL_BITS; k++)
        v[k] = UINT64_C(1) << (TC_SOBOL_BITS - 1 - k);
}

/* v_k = a_1 v_(k-1) ^ .. ^ a_(s-1) v_(k-s+1) ^ v_(k-s) ^ v_(k-s) 2^-s, started by the table. */
static void directions(size_t row, uint64_t v[TC_SOBOL_BITS])
{
    const unsigned s = sobol_table[row].s, a = sobol_table[row].a;
    for (unsigned k = 0; k < s; k++)
        v[k] = (uint64_t)sobol_table[row].m[k] << (TC_SOBOL_BITS - 1 - k);
    for (unsigned k = s; k < TC_SOBOL_BITS; k++) {
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (unsigned i = 1; i < s; i++)
            if ((a >> (s - 1 - i) & 1) != 0)
                v[k] ^= v[k - i];
    }
}

void tc_sobol_init(tc_sobol *q, size_t dim, const tc_stream *s)
{
    q->dim = dim;
    q->rest = *s;
    first_directions(q->v[0]);
    for (size_t d = 1; d < TC_SOBOL_DIM; d++)
        directions(d - 1, q->v[d]);
    for (size_t d = 0; d < TC_SOBOL_DIM; d++)
        q->shift[d] = tc_draw_u64(&q->rest) >> (64 - TC_SOBOL_BITS);
}

/* The stream, moved to blocks that no other point draws from. */
static tc_stream rest_of_point(const tc_sobol *q, uint64_t i)
{
    const uint64_t draws_a_block = 64 / sizeof(uint64_t);
    tc_stream s = q->rest;
    s.block += i * ((q->dim - TC_SOBOL_DIM + draws_a_block - 1) / draws_a_block);
    s.used = sizeof s.buf; /* what the buffer holds belongs to another place */
    return s;
}

void tc_sobol_point(const tc_sobol *q, uint64_t i, double *u)
{
    const uint64_t gray = i ^ (i >> 1);
    const size_t covered = q->dim < TC_SOBOL_DIM ? q->dim : TC_SOBOL_DIM;
    assert(i >> TC_SOBOL_BITS == 0);
    for (size_t d = 0; d < covered; d++) {
        uint64_t x = q->shift[d];
        for (uint64_t left = gray; left != 0; left &= left - 1)
            x ^= q->v[d][__builtin_ctzll(left)];
        u[d] = (double)x * 0x1p-52;
    }
    if (q->dim > TC_SOBOL_DIM) {
        tc_stream s = rest_of_point(q, i);
        for (size_t d = TC_SOBOL_DIM; d < q->dim; d++)
            u[d] = tc_draw_uniform(&s);
    }
}
