/* batch.c - sums over the pulls of a trial, and whether they can be true. See batch.h. */
#include "algo/batch.h"

#include "base/error.h"

#include <inttypes.h>

__extension__ typedef unsigned __int128 wide;

void tc_batch_add(tc_batch *b, int64_t reward)
{
    b->n++;
    b->sum += reward;
    b->squares += reward * reward / TC_BATCH_ONE;
}

double tc_batch_mean(const tc_batch *b)
{
    return (double)b->sum / ((double)b->n * (double)TC_BATCH_ONE);
}

/* By Cauchy-Schwarz the squares come to sum^2/n at least; rounding each down took less than 1. */
static int64_t least_squares(const tc_batch *b)
{
    wide of_mean = (wide)b->sum * (wide)b->sum / ((wide)b->n * (wide)TC_BATCH_ONE);
    return of_mean > b->n ? (int64_t)(of_mean - b->n) : 0;
}

tacit_status tc_batch_check(const tc_batch *b, uint64_t asked, tacit_error *err)
{
    if (b->n < 1 || b->n > asked)
        return tc_fail(err, TACIT_E_ARG,
                       "pulls must be in 1..%" PRIu64 ", as many as were asked for, got %" PRIu64,
                       asked, b->n);
    int64_t most = (int64_t)b->n * TC_BATCH_ONE;
    if (b->sum < 0 || b->sum > most)
        return tc_fail(err, TACIT_E_ARG,
                       "the sum of %" PRIu64 " rewards must be in 0..%" PRId64
                       " units of 2^-28, got %" PRId64,
                       b->n, most, b->sum);
    int64_t least = least_squares(b);
    if (b->squares < least || b->squares > b->sum)
        return tc_fail(err, TACIT_E_ARG,
                       "the squares of %" PRIu64 " rewards with the sum %" PRId64
                       " must come to %" PRId64 "..%" PRId64 " units of 2^-28, got %" PRId64,
                       b->n, b->sum, least, b->sum, b->squares);
    return TACIT_OK;
}
