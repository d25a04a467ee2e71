/* federated_compare.c - two simulations of the same runs, compared run by run. See federated.h.
 *
 * Regrets on random functions have heavy tails, so nothing here assumes a normal law: the interval
 * is the percentile bootstrap over runs (both algorithms keep their runs together), the p-value
 * comes from flipping the signs of the paired differences, under which they would not change if
 * the two algorithms were alike. All draws come from fixed public streams. */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "sim/federated.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    RESAMPLES = 2000,
    LOW_RANK = 50, /* of the sorted resamples, from 1: 2.5 % and 97.5 % */
    HIGH_RANK = 1950,
    FLIPS = 10000,
    MOST_EXACT = 13 /* runs: 2^13 sign patterns are fewer than FLIPS */
};
enum { STREAM_RESAMPLES = 0, STREAM_FLIPS = 1 };
#define STREAM_SEED 95

/* What there is of both, run by run. */
typedef struct pairs {
    size_t n;
    const double *a, *b;
} pairs;

static tacit_status check(const tc_federated_result *a, const tc_federated_result *b,
                          uint64_t iteration, tacit_error *err)
{
    if (a->runs != b->runs || a->agents != b->agents || a->seed != b->seed)
        return tc_fail(err, TACIT_E_ARG,
                       "only simulations with the same runs, agents and seed can be compared, got "
                       "%" PRIu64 ", %" PRIu64 ", %" PRIu64 " and %" PRIu64 ", %" PRIu64
                       ", %" PRIu64,
                       a->runs, a->agents, a->seed, b->runs, b->agents, b->seed);
    uint64_t most = a->iterations < b->iterations ? a->iterations : b->iterations;
    if (iteration >= most)
        return tc_fail(err, TACIT_E_ARG,
                       "there is no iteration %" PRIu64 " in both; the last is %" PRIu64, iteration,
                       most - 1);
    return TACIT_OK;
}

static tacit_status gather(const tc_federated_result *of, uint64_t iteration, double *out,
                           tacit_error *err)
{
    for (size_t r = 0; r < of->runs; r++) {
        out[r] = of->simple[r * of->iterations + iteration];
        if (!isfinite(out[r]))
            return tc_fail(err, TACIT_E_ARG,
                           "the regret at iteration %" PRIu64 " is not finite: there are no points "
                           "yet",
                           iteration);
    }
    return TACIT_OK;
}

/* ---- the ratio ---- */

/* Of sums, which is that of means. Two without regret are alike. */
static double ratio(double a, double b)
{
    return a == 0 && b == 0 ? 1 : a / b;
}

static double ratio_of_all(const pairs *p)
{
    double a = 0, b = 0;
    for (size_t r = 0; r < p->n; r++) {
        a += p->a[r];
        b += p->b[r];
    }
    return ratio(a, b);
}

static double ratio_of_some(const pairs *p, tc_stream *s)
{
    double a = 0, b = 0;
    for (size_t i = 0; i < p->n; i++) {
        size_t r = (size_t)tc_draw_below(s, p->n);
        a += p->a[r];
        b += p->b[r];
    }
    return ratio(a, b);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static tacit_status bootstrap(const pairs *p, tc_federated_ratio *out, tacit_error *err)
{
    tc_public_seed seed = tc_public_seed_from(STREAM_SEED);
    tc_stream s;
    double *ratios = tc_alloc(RESAMPLES, sizeof *ratios);
    if (!ratios)
        return tc_fail_memory(err);
    tc_stream_public(&s, &seed, TC_FOR_RUN, STREAM_RESAMPLES);
    for (size_t i = 0; i < RESAMPLES; i++)
        ratios[i] = ratio_of_some(p, &s);
    qsort(ratios, RESAMPLES, sizeof *ratios, rising);
    out->low = ratios[LOW_RANK - 1];
    out->high = ratios[HIGH_RANK - 1];
    tc_free(ratios);
    return TACIT_OK;
}

/* ---- the test ---- */

/* Is the sum of the differences, with these signs, as large as the one that was seen? Sums that
 * are equal in exact arithmetic must count as equal here. */
typedef struct flips {
    const pairs *p;
    double seen, slack;
} flips;

static double flipped_sum(const pairs *p, tc_stream *s, uint64_t signs)
{
    double sum = 0;
    for (size_t r = 0; r < p->n; r++) {
        if (r % 64 == 0 && s)
            signs = tc_draw_u64(s);
        double d = p->a[r] - p->b[r];
        sum += signs >> r % 64 & 1 ? -d : d;
    }
    return sum;
}

static bool as_large(const flips *f, tc_stream *s, uint64_t signs)
{
    return fabs(flipped_sum(f->p, s, signs)) >= f->seen - f->slack;
}

static double sign_flip(const pairs *p)
{
    flips f = {.p = p, .seen = fabs(flipped_sum(p, NULL, 0))};
    uint64_t large = 0;
    for (size_t r = 0; r < p->n; r++)
        f.slack += 1e-12 * fabs(p->a[r] - p->b[r]);
    if (p->n <= MOST_EXACT) {
        uint64_t all = UINT64_C(1) << p->n;
        for (uint64_t signs = 0; signs < all; signs++)
            large += as_large(&f, NULL, signs);
        return (double)large / (double)all;
    }
    tc_public_seed seed = tc_public_seed_from(STREAM_SEED);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, STREAM_FLIPS);
    for (int i = 0; i < FLIPS; i++)
        large += as_large(&f, &s, 0);
    return (double)(large + 1) / (FLIPS + 1); /* what was seen is one of the patterns */
}

/* ---- both ---- */

tacit_status tc_paired_compare(const double *a, const double *b, size_t n, tc_federated_ratio *out,
                               tacit_error *err)
{
    tc_federated_ratio r;
    pairs p = {.n = n, .a = a, .b = b};
    r.ratio = ratio_of_all(&p);
    TC_TRY(bootstrap(&p, &r, err));
    r.p = sign_flip(&p);
    *out = r;
    return TACIT_OK;
}

static tacit_status compare(const tc_federated_result *a, const tc_federated_result *b,
                            uint64_t iteration, double *room, tc_federated_ratio *out,
                            tacit_error *err)
{
    size_t n = (size_t)a->runs;
    TC_TRY(gather(a, iteration, room, err));
    TC_TRY(gather(b, iteration, room + n, err));
    return tc_paired_compare(room, room + n, n, out, err);
}

tacit_status tc_federated_compare(const tc_federated_result *a, const tc_federated_result *b,
                                  uint64_t iteration, tc_federated_ratio *out, tacit_error *err)
{
    TC_TRY(check(a, b, iteration, err));
    double *room = tc_alloc((size_t)a->runs, 2 * sizeof *room);
    if (!room)
        return tc_fail_memory(err);
    tacit_status status = compare(a, b, iteration, room, out, err);
    tc_free(room);
    return status;
}
