/* compare.c - two simulations of the same runs, compared run by run. See compare.h
 * and curve_file.h.
 *
 * Regrets on random functions have heavy tails, so nothing here assumes a normal law. The interval
 * is that of the symmetric bootstrap-t (P. Hall, The Bootstrap and Edgeworth Expansion, 1992) of
 *   theta = log(mean a) - log(mean b),  se = sd of a_r / mean a - b_r / mean b over runs, / sqrt(n):
 * runs are drawn again, both algorithms of a run together, and theta +- q se is turned back into a
 * ratio, q the 95 % quantile of |theta* - theta| / se*. Percentiles of the ratio itself, and BCa, are
 * too narrow for few runs. The p-value comes from flipping the signs of the paired differences,
 * under which they would not change if the two algorithms were alike. All draws come from fixed
 * public streams. */
#include "sim/curve_file.h"

#include "base/api.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sort.h"

#include <inttypes.h>
#include <math.h>

enum {
    RESAMPLES = 1999,
    RANK = 1900, /* of the sorted resamples, from 1: 95 % of RESAMPLES + 1 */
    FLIPS = 10000,
    MOST_EXACT = 13 /* runs: 2^13 sign patterns are fewer than FLIPS */
};
enum { STREAM_RESAMPLES = 0, STREAM_FLIPS = 1 };
#define STREAM_SEED 95
#define ROUNDING    1e-12 /* a spread, relative to the mean, that is none */

/* What there is of both, run by run. */
typedef struct pairs {
    size_t n;
    const double *a, *b;
} pairs;

/* ---- the ratio ---- */

/* The ratio of the sums, which equals the ratio of the means. If both are 0, the ratio is 1. */
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

/* ---- the interval ---- */

/* The log of the ratio of means, and its standard error by the delta method. */
typedef struct estimate {
    double theta, se;
} estimate;

/* Computes it over the runs that `which` lists. False: a mean is not positive, and has no logarithm. */
static bool estimate_of(const pairs *p, const size_t *which, estimate *out)
{
    double a = 0, b = 0, squares = 0, n = (double)p->n;
    for (size_t i = 0; i < p->n; i++) {
        a += p->a[which[i]] / n;
        b += p->b[which[i]] / n;
    }
    if (!(a > 0 && b > 0))
        return false;
    for (size_t i = 0; i < p->n; i++) {
        double d = p->a[which[i]] / a - p->b[which[i]] / b;
        squares += d * d;
    }
    out->theta = log(a) - log(b);
    out->se = sqrt(squares / (n - 1) / n);
    return true;
}

/* |theta* - theta| / se*. What has no spread, or no logarithm, says nothing about theta: it lies as
 * far away as can be. */
static double distance_of(const estimate *all, const pairs *p, const size_t *which)
{
    estimate some;
    if (!estimate_of(p, which, &some))
        return INFINITY;
    double d = fabs(some.theta - all->theta);
    return some.se > ROUNDING ? d / some.se : d > ROUNDING ? INFINITY : 0;
}

static double quantile(const estimate *all, const pairs *p, size_t *which, double *distances)
{
    tc_public_seed seed = tc_public_seed_from(STREAM_SEED);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, STREAM_RESAMPLES);
    for (size_t i = 0; i < RESAMPLES; i++) {
        for (size_t r = 0; r < p->n; r++)
            which[r] = (size_t)tc_draw_below(&s, p->n);
        distances[i] = distance_of(all, p, which);
    }
    tc_sort_doubles(distances, RESAMPLES);
    return distances[RANK - 1];
}

/* An interval of a thousand times either way says nothing. */
#define REACH_MOST 1000

static void bound(const pairs *p, size_t *which, double *distances, tacit_ratio *out)
{
    estimate all;
    for (size_t r = 0; r < p->n; r++)
        which[r] = r;
    if (!estimate_of(p, which, &all))
        return;
    double reach = all.se * quantile(&all, p, which, distances);
    if (!(reach <= log(REACH_MOST)))
        return;
    out->low = out->ratio * exp(-reach);
    out->high = out->ratio * exp(reach);
}

static bool without_regret(const pairs *p)
{
    for (size_t r = 0; r < p->n; r++)
        if (p->a[r] != 0 || p->b[r] != 0)
            return false;
    return true;
}

static tacit_status find_interval(const pairs *p, tacit_ratio *out, tacit_error *err)
{
    out->low = out->high = NAN;
    if (p->n < TACIT_INTERVAL_RUNS)
        return TACIT_OK;
    if (without_regret(p)) {
        out->low = out->high = 1;
        return TACIT_OK;
    }
    size_t *which = tc_alloc(p->n, sizeof *which);
    double *distances = tc_alloc(RESAMPLES, sizeof *distances);
    if (which && distances)
        bound(p, which, distances, out);
    bool ok = which && distances;
    tc_free(distances);
    tc_free(which);
    return ok ? TACIT_OK : tc_fail_memory(err);
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

tacit_status tc_paired_compare(const double *a, const double *b, size_t n, tacit_ratio *out,
                               tacit_error *err)
{
    tacit_ratio r;
    pairs p = {.n = n, .a = a, .b = b};
    r.ratio = ratio_of_all(&p);
    TC_TRY(find_interval(&p, &r, err));
    r.p = sign_flip(&p);
    *out = r;
    return TACIT_OK;
}

/* ---- of curves ---- */

/* runs x points; NULL: there are means alone. */
static const double *compared(const tacit_curves *c)
{
    return c->by_pulls ? c->cumulative : c->simple;
}

static tacit_status check(const tacit_curves *a, const tacit_curves *b, size_t point,
                          tacit_error *err)
{
    if (a->runs != b->runs || a->agents != b->agents || a->seed != b->seed)
        return tc_fail(err, TACIT_E_ARG,
                       "only simulations with the same runs, agents and seed can be compared, got "
                       "%" PRIu64 ", %" PRIu64 ", %" PRIu64 " and %" PRIu64 ", %" PRIu64
                       ", %" PRIu64,
                       a->runs, a->agents, a->seed, b->runs, b->agents, b->seed);
    if (!compared(a) || !compared(b))
        return tc_fail(
            err, TACIT_E_ARG,
            "only curves that have every run can be compared, and these have means alone");
    size_t most = a->points < b->points ? a->points : b->points;
    if (point >= most)
        return tc_fail(err, TACIT_E_ARG, "there is no iteration %zu in both; the last is %zu",
                       point, most - 1);
    return TACIT_OK;
}

static tacit_status gather(const tacit_curves *of, size_t point, double *out, tacit_error *err)
{
    const double *regret = compared(of);
    for (size_t r = 0; r < of->runs; r++) {
        out[r] = regret[r * of->points + point];
        if (!isfinite(out[r]))
            return tc_fail(err, TACIT_E_ARG,
                           "the regret at iteration %zu is not finite: there are no points yet",
                           point);
    }
    return TACIT_OK;
}

tacit_status tacit_curves_compare(const tacit_curves *a, const tacit_curves *b, size_t point,
                                  tacit_ratio *out, tacit_error *err)
{
    TC_GIVEN(a);
    TC_GIVEN(b);
    TC_GIVEN(out);
    size_t n = (size_t)a->runs;
    TC_TRY(check(a, b, point, err));
    double *room = tc_alloc(n, 2 * sizeof *room);
    if (!room)
        return tc_fail_memory(err);
    tacit_status status = gather(a, point, room, err);
    if (status == TACIT_OK)
        status = gather(b, point, room + n, err);
    if (status == TACIT_OK)
        status = tc_paired_compare(room, room + n, n, out, err);
    tc_free(room);
    return status;
}

enum { MOST_POINTS = 5 };

static size_t choose_points(const tacit_curves *c, size_t out[MOST_POINTS])
{
    static const size_t fixed[] = {1, 5, 10, 20};
    size_t n = 0, last = c->points - 1;
    if (c->by_pulls) {
        out[n++] = c->points < 10 ? 0 : c->points / 10 - 1;
        out[n++] = c->points < 2 ? 0 : c->points / 2 - 1;
    } else {
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed && fixed[i] < last; i++)
            out[n++] = fixed[i];
    }
    out[n++] = last;
    return n;
}

tacit_status tc_curve_contrasts(const tc_curve_part *parts, size_t n, tacit_contrast **rows,
                                size_t *n_rows, tacit_error *err)
{
    const tacit_curves *first = parts[0].curves;
    size_t points[MOST_POINTS], n_points = choose_points(first, points), k = 0;
    tacit_contrast *made = tc_alloc(n * MOST_POINTS, sizeof *made);
    tacit_status status = made ? TACIT_OK : tc_fail_memory(err);
    for (size_t i = 1; i < n && first->runs > 1; i++)
        for (size_t t = 0; t < n_points && status == TACIT_OK; t++, k++) {
            made[k] = (tacit_contrast){.of = i, .point = points[t]};
            status = tacit_curves_compare(parts[i].curves, first, points[t], &made[k].ratio, err);
        }
    if (status != TACIT_OK) {
        tc_free(made);
        return status;
    }
    *rows = made;
    *n_rows = k;
    return TACIT_OK;
}
