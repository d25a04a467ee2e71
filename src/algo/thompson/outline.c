/* outline.c - how large scores in a tile can be, from the scores of a few candidates.
 *
 * Features of neighbours are alike: those of a tile lie close to the span of those of TC_PIVOTS of
 * its candidates. With pivots p_j, phi(x) = sum_j c_j(x) phi(p_j) + e(x), so that
 *     phi(x)'omega <= sum_j c_j(x) phi(p_j)'omega + |e(x)| |omega|.
 * A search then knows which tiles cannot hold the largest score (score.c). Pivots are chosen by
 * Gram and Schmidt's process: the candidate that is furthest from the span of those before it.
 * Whatever was chosen, and however rounded, |e(x)| is computed from the coefficients themselves, and
 * room is left for the rounding of scores: a bound is never too small. features.c calls this. */
#include "algo/thompson/thompson.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { TILE = TC_TILE, PIVOTS = TC_PIVOTS };

/* Bounds help where e is small beside the differences of scores: the weights of a draw have a norm
 * of about sqrt(M), and its scores a variance of 1. */
#define LOOSE 0.25

/* One tile at work. */
typedef struct outline {
    size_t M, held;             /* its slots that hold a candidate, the first ones */
    const double *phi;          /* M x TILE */
    double *rest;               /* the same, without its part in the span of the pivots */
    double *axis;               /* M */
    double along[PIVOTS][TILE]; /* of each slot, on the axis of each pivot */
    size_t pivot[PIVOTS];
} outline;

/* out = |a|^2 of all slots. */
static void squares(size_t M, const double *restrict a, double *restrict out)
{
    memset(out, 0, TILE * sizeof *out);
    for (size_t m = 0; m < M; m++)
        for (size_t i = 0; i < TILE; i++)
            out[i] += a[m * TILE + i] * a[m * TILE + i];
}

/* The slot furthest from the span, and how far it is. */
static size_t furthest(const outline *o, double *far)
{
    double square[TILE];
    size_t best = 0;
    squares(o->M, o->rest, square);
    for (size_t i = 1; i < o->held; i++)
        best = square[i] > square[best] ? i : best;
    *far = sqrt(square[best]);
    return best;
}

/* Takes the part along the axis from all slots. */
static void reduce(size_t M, const double *restrict axis, double *restrict along,
                   double *restrict rest)
{
    memset(along, 0, TILE * sizeof *along);
    for (size_t m = 0; m < M; m++)
        for (size_t i = 0; i < TILE; i++)
            along[i] += axis[m] * rest[m * TILE + i];
    for (size_t m = 0; m < M; m++)
        for (size_t i = 0; i < TILE; i++)
            rest[m * TILE + i] -= axis[m] * along[i];
}

/* Where fewer span the tile, the others have an axis of zeros. */
static void choose_pivots(outline *o)
{
    memcpy(o->rest, o->phi, o->M * TILE * sizeof *o->rest);
    for (size_t j = 0; j < PIVOTS; j++) {
        double far;
        size_t p = o->pivot[j] = furthest(o, &far);
        for (size_t m = 0; m < o->M; m++)
            o->axis[m] = far > 1e-12 ? o->rest[m * TILE + p] / far : 0;
        reduce(o->M, o->axis, o->along[j], o->rest);
    }
}

/* From parts along axes to parts along pivots, by substitution. An empty slot has the coefficients
 * of the first one: it raises no bound. */
static void solve_spread(const outline *o, double *spread)
{
    for (size_t i = 0; i < TILE; i++) {
        const size_t slot = i < o->held ? i : 0;
        for (size_t j = PIVOTS; j-- > 0;) {
            const double whole = o->along[j][o->pivot[j]];
            double c = o->along[j][slot];
            for (size_t l = j + 1; l < PIVOTS; l++)
                c -= spread[l * TILE + i] * o->along[j][o->pivot[l]];
            spread[j * TILE + i] = whole > 0 ? c / whole : 0;
        }
    }
}

/* Whatever rounding may do to a score and to its bound, for weights of norm 1: M products, and as
 * many for each pivot. */
static double rounding(const outline *o, const double *spread)
{
    double square[TILE], most = 0, sums = 0;
    squares(o->M, o->phi, square);
    for (size_t i = 0; i < o->held; i++) {
        double sum = 1;
        for (size_t j = 0; j < PIVOTS; j++)
            sum += fabs(spread[j * TILE + i]);
        most = fmax(most, square[i]);
        sums = fmax(sums, sum);
    }
    return 1e-14 * (double)(o->M + PIVOTS) * sqrt(most) * sums;
}

/* rest = e of all slots. */
static void find_rest(outline *o, const double *spread)
{
    for (size_t m = 0; m < o->M; m++) {
        const double *phi = o->phi + m * TILE;
        double *rest = o->rest + m * TILE;
        memcpy(rest, phi, TILE * sizeof *rest);
        for (size_t j = 0; j < PIVOTS; j++)
            for (size_t i = 0; i < TILE; i++)
                rest[i] -= spread[j * TILE + i] * phi[o->pivot[j]];
    }
}

/* The largest |e| of a slot, and rounding. */
static double measure_off(outline *o, const double *spread)
{
    double square[TILE], most = 0;
    find_rest(o, spread);
    squares(o->M, o->rest, square);
    for (size_t i = 0; i < o->held; i++)
        most = fmax(most, square[i]);
    return sqrt(most) * (1 + 1e-6) + rounding(o, spread);
}

static size_t held_slots(const tc_features *f, size_t tile)
{
    size_t n = 0;
    while (n < TILE && f->held[tile * TILE + n] < f->n)
        n++;
    return n;
}

/* Pivot j of the tile at place `at` of a panel is slot at PIVOTS + j of its pivots. */
static void outline_tile(const tc_features *f, outline *o, size_t panel, size_t at)
{
    const size_t tile = f->panel[panel].tile + at;
    double *spread = f->spread + tile * PIVOTS * TILE;
    double *pivots = f->pivots + panel * o->M * TILE + at * PIVOTS;
    o->phi = f->tiles + tile * o->M * TILE;
    o->held = held_slots(f, tile);
    choose_pivots(o);
    solve_spread(o, spread);
    f->off[tile] = measure_off(o, spread);
    for (size_t j = 0; j < PIVOTS; j++)
        for (size_t m = 0; m < o->M; m++)
            pivots[m * TILE + j] = o->phi[m * TILE + o->pivot[j]];
}

static size_t panels_of(size_t tiles)
{
    return (tiles + TC_PANEL - 1) / TC_PANEL;
}

static void lay_panels(tc_features *f)
{
    tc_panel *p = f->panel;
    for (size_t i = 0; i < f->regions; i++)
        for (size_t t = f->tile[i]; t < f->tile[i + 1]; t += TC_PANEL, p++) {
            size_t left = f->tile[i + 1] - t;
            *p = (tc_panel){.region = i, .tile = t, .tiles = left < TC_PANEL ? left : TC_PANEL};
        }
}

static tacit_status take_arrays(tc_features *f, outline *o, tacit_error *err)
{
    const size_t M = f->rff.M, tiles = f->slots / TILE;
    for (size_t i = 0; i < f->regions; i++)
        f->panels += panels_of(f->tile[i + 1] - f->tile[i]);
    f->panel = TC_TAKE(&f->memory, f->panels, tc_panel);
    f->pivots = TC_TAKE(&f->memory, f->panels * M * TILE, double);
    f->spread = TC_TAKE(&f->memory, f->slots * PIVOTS, double);
    f->off = TC_TAKE(&f->memory, tiles, double);
    o->M = M;
    o->rest = tc_alloc(M * TILE, sizeof *o->rest);
    o->axis = tc_alloc(M, sizeof *o->axis);
    return f->memory.failed || !o->rest || !o->axis ? tc_fail_memory(err) : TACIT_OK;
}

static void outline_all(tc_features *f, outline *o)
{
    double sum = 0;
    lay_panels(f);
    for (size_t p = 0; p < f->panels; p++)
        for (size_t at = 0; at < f->panel[p].tiles; at++) {
            outline_tile(f, o, p, at);
            sum += f->off[f->panel[p].tile + at];
        }
    f->outlined = sum * TILE / (double)f->slots * sqrt((double)f->rff.M) < LOOSE;
}

tacit_status tc_features_outline(tc_features *f, tacit_error *err)
{
    outline o = {0};
    tacit_status status = take_arrays(f, &o, err);
    if (status == TACIT_OK)
        outline_all(f, &o);
    tc_free(o.rest);
    tc_free(o.axis);
    return status;
}
