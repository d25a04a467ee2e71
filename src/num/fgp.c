/* fgp.c - the finite-domain Gaussian process: what is kept, and the pass over it per observation.
 *
 * V is stored by rows, one per observation, n contiguous candidates each; L is packed by rows, its
 * row t being V[0..t)[j_t] and the pivot. Rows come from the arena in blocks that double, so they
 * never move and memory stays O(t n). The pass runs tile by tile (fgp_tile.c): prior covariance,
 * minus a'V, scaling, mean and variance, while the tile is in cache. */
#include "num/fgp.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/fgp_prior.h"
#include "num/fgp_tile.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Below this many entries of V a pass is shorter than waking other threads. */
#define WORTH_THREADS 200000

typedef struct best {
    double score;
    size_t at;
} best;

struct tc_fgp {
    tc_arena arena;
    tc_pool *pool;
    tc_fgp_prior prior;
    double noise; /* s2 */
    size_t n, tiles, t;

    size_t rows;   /* rows of V that have memory, >= t */
    double **V;    /* rows: pointers to n candidates each */
    double *L;     /* packed: row i starts at i(i+1)/2 */
    double *z;     /* scratch of targets, t */
    double *count; /* observations in each row, t */
    size_t V_cap, L_cap, z_cap, count_cap;

    double *mean, *var; /* n */
    best *tile_best;    /* tiles: scratch of argmax */

    bool marked;
    size_t mark_t;
    double *mark_mean, *mark_var; /* n; NULL before the first mark */
};

/* ---- life ---- */

static tacit_status build(tc_fgp *g, size_t n, tc_pool *pool, tacit_error *err)
{
    g->n = n;
    g->pool = pool;
    g->tiles = (n + TC_TILE - 1) / TC_TILE;
    g->mean = TC_TAKE(&g->arena, n, double);
    g->var = TC_TAKE(&g->arena, n, double);
    g->tile_best = TC_TAKE(&g->arena, g->tiles, best);
    return g->arena.failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status allocate(tc_fgp **out, size_t n, tacit_error *err)
{
    if (n == 0)
        return tc_fail(err, TACIT_E_ARG, "a finite domain needs at least one candidate");
    *out = tc_alloc(1, sizeof **out);
    return *out == NULL ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status deliver(tc_fgp **out, tc_fgp *g, tacit_status status)
{
    if (status == TACIT_OK)
        *out = g;
    else
        tc_fgp_free(g);
    return status;
}

tacit_status tc_fgp_new(tc_fgp **out, size_t n, size_t dim, const double *X, const size_t *axes,
                        tc_pool *pool, tacit_error *err)
{
    tc_fgp *g = NULL;
    tacit_status status;
    assert(dim > 0);
    TC_TRY(allocate(&g, n, err));
    status = tc_fgp_prior_points(&g->prior, &g->arena, n, dim, X, axes, err);
    if (status == TACIT_OK)
        status = build(g, n, pool, err);
    return deliver(out, g, status);
}

tacit_status tc_fgp_new_given(tc_fgp **out, size_t n, const double *K, tc_pool *pool,
                              tacit_error *err)
{
    tc_fgp *g = NULL;
    tacit_status status;
    TC_TRY(allocate(&g, n, err));
    status = tc_fgp_prior_matrix(&g->prior, n, K, err);
    if (status == TACIT_OK)
        status = build(g, n, pool, err);
    return deliver(out, g, status);
}

void tc_fgp_free(tc_fgp *g)
{
    if (g == NULL)
        return;
    tc_free(g->V);
    tc_free(g->L);
    tc_free(g->z);
    tc_free(g->count);
    tc_arena_fini(&g->arena);
    tc_free(g);
}

tacit_status tc_fgp_reset(tc_fgp *g, const tc_gp_hyper *h, tacit_error *err)
{
    if (!(h->noise >= 0) || isinf(h->noise))
        return tc_fail(err, TACIT_E_ARG, "the noise variance must be finite and >= 0, got %g",
                       h->noise);
    TC_TRY(tc_fgp_prior_hyper(&g->prior, h, err));
    g->noise = h->noise;
    g->t = 0;
    g->marked = false;
    for (size_t i = 0; i < g->n; i++) {
        g->mean[i] = 0;
        g->var[i] = tc_fgp_prior_variance(&g->prior, i);
    }
    return TACIT_OK;
}

tacit_status tc_fgp_own(tc_fgp *g, double variance, tacit_error *err)
{
    if (!(variance >= 0) || isinf(variance))
        return tc_fail(err, TACIT_E_ARG,
                       "a candidate's own variance must be finite and >= 0, got %g", variance);
    g->prior.own = variance;
    return TACIT_OK;
}

/* ---- room for one more observation ---- */

/* Rows an odd number of cache lines apart: a power of two would put all rows into the same few
 * sets of the cache. */
static size_t row_stride(size_t n)
{
    const size_t line = 64 / sizeof(double);
    return ((n + line - 1) / line | 1) * line;
}

static bool more_rows(tc_fgp *g)
{
    const size_t extra = g->rows < 4 ? 4 : g->rows, stride = row_stride(g->n);
    double *block;
    if (!tc_grow((void **)&g->V, &g->V_cap, g->rows + extra, sizeof *g->V))
        return false;
    block = tc_arena_take(&g->arena, extra, stride * sizeof *block);
    if (block == NULL)
        return false;
    for (size_t i = 0; i < extra; i++)
        g->V[g->rows + i] = block + i * stride;
    g->rows += extra;
    return true;
}

static tacit_status make_room(tc_fgp *g, tacit_error *err)
{
    const size_t t = g->t;
    if ((t == g->rows && !more_rows(g)) ||
        !tc_grow((void **)&g->z, &g->z_cap, t + 1, sizeof *g->z) ||
        !tc_grow((void **)&g->count, &g->count_cap, t + 1, sizeof *g->count) ||
        !tc_grow((void **)&g->L, &g->L_cap, (t + 1) * (t + 2) / 2, sizeof *g->L))
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* ---- passes ---- */

static const double *factor_row(const tc_fgp *g, size_t i)
{
    return g->L + i * (i + 1) / 2;
}

static size_t tile_length(const tc_fgp *g, size_t tile)
{
    const size_t left = g->n - tile * TC_TILE;
    return left < TC_TILE ? left : TC_TILE;
}

/* Runs body on every tile, on the pool where `rows` rows of V make it worth while. */
static void each_tile(const tc_fgp *g, size_t rows, void (*body)(void *ctx, size_t tile), void *ctx)
{
    tc_pool_for(g->n * rows < WORTH_THREADS ? NULL : g->pool, g->tiles, body, ctx);
}

typedef struct append_pass {
    tc_fgp *g;
    double s, z; /* pivot and (y - mu_j)/s */
} append_pass;

static void append_tile(void *ctx, size_t tile)
{
    const append_pass *p = ctx;
    const tc_fgp *g = p->g;
    const size_t from = tile * TC_TILE, m = tile_length(g, tile);
    double *v = g->V[g->t] + from;
    tc_fgp_prior_piece(&g->prior, from, m, v);
    tc_tile_subtract(g->t, factor_row(g, g->t), g->V, from, m, v);
    tc_tile_finish(m, p->s, p->z, v, g->mean + from, g->var + from);
}

/* The square of the new pivot: var_j is k_jj - a'a, term by term. What is left by rounding of a
 * variance that should be 0 would turn noise into an observation. */
static tacit_status pivot_of(const tc_fgp *g, size_t j, double count, double *s, tacit_error *err)
{
    const double square = g->var[j] + g->noise / count;
    const double least = 64 * DBL_EPSILON * tc_fgp_prior_variance(&g->prior, j);
    if (!(square > least))
        return tc_fail(err, TACIT_E_NUMERIC,
                       "candidate %zu is already known: observing it again needs noise > 0", j);
    *s = sqrt(square);
    return TACIT_OK;
}

/* Appends candidate j, observed `count` times; y NULL stands for the posterior mean. */
static tacit_status append(tc_fgp *g, size_t j, double count, const double *y, tacit_error *err)
{
    append_pass pass = {.g = g};
    double *l;
    if (j >= g->n)
        return tc_fail(err, TACIT_E_ARG, "candidate %zu of %zu does not exist", j, g->n);
    TC_TRY(pivot_of(g, j, count, &pass.s, err));
    TC_TRY(make_room(g, err));
    l = g->L + g->t * (g->t + 1) / 2;
    for (size_t i = 0; i < g->t; i++)
        l[i] = g->V[i][j];
    l[g->t] = pass.s;
    pass.z = y == NULL ? 0 : (*y - g->mean[j]) / pass.s;
    tc_fgp_prior_aim(&g->prior, j);
    each_tile(g, g->t + 8, append_tile, &pass);
    g->count[g->t++] = count;
    return TACIT_OK;
}

tacit_status tc_fgp_observe(tc_fgp *g, size_t j, double y, tacit_error *err)
{
    if (!isfinite(y))
        return tc_fail(err, TACIT_E_ARG, "an observed value must be finite, got %g", y);
    return append(g, j, 1, &y, err);
}

tacit_status tc_fgp_push(tc_fgp *g, size_t j, tacit_error *err)
{
    return append(g, j, 1, NULL, err);
}

tacit_status tc_fgp_push_many(tc_fgp *g, size_t j, double count, tacit_error *err)
{
    if (!(count >= 1))
        return tc_fail(err, TACIT_E_ARG, "a candidate must be observed at least once, got %g",
                       count);
    return append(g, j, count, NULL, err);
}

tacit_status tc_fgp_push_noise(tc_fgp *g, size_t j, double noise, tacit_error *err)
{
    if (!(noise > 0 && isfinite(noise) && g->noise > 0))
        return tc_fail(err, TACIT_E_ARG, "the noise of a row must be finite and > 0, got %g",
                       noise);
    return append(g, j, g->noise / noise, NULL, err);
}

/* z = L^-1 z, in the order in which observe adds up the mean at j_i. */
static void solve_packed(const tc_fgp *g, double *z)
{
    for (size_t i = 0; i < g->t; i++) {
        const double *l = factor_row(g, i);
        double mean = 0;
        for (size_t k = 0; k < i; k++)
            mean += l[k] * z[k];
        z[i] = (z[i] - mean) / l[i];
    }
}

typedef struct combine_pass {
    const tc_fgp *g;
    const double *minus_z;
    double *out;
} combine_pass;

/* out = V'z */
static void combine_tile(void *ctx, size_t tile)
{
    const combine_pass *p = ctx;
    const size_t from = tile * TC_TILE, m = tile_length(p->g, tile);
    memset(p->out + from, 0, m * sizeof *p->out);
    tc_tile_subtract(p->g->t, p->minus_z, p->g->V, from, m, p->out + from);
}

static void combine(const tc_fgp *g, double *z, double *out)
{
    combine_pass pass = {.g = g, .minus_z = z, .out = out};
    for (size_t i = 0; i < g->t; i++)
        z[i] = -z[i];
    each_tile(g, g->t, combine_tile, &pass);
}

void tc_fgp_targets(tc_fgp *g, const double *y)
{
    if (g->t > 0)
        memcpy(g->z, y, g->t * sizeof *y);
    solve_packed(g, g->z);
    combine(g, g->z, g->mean);
}

void tc_fgp_project(const tc_fgp *g, const double *y, double *out, double *z)
{
    if (g->t > 0)
        memcpy(z, y, g->t * sizeof *y);
    solve_packed(g, z);
    combine(g, z, out);
    for (size_t i = 0; i < g->t; i++) /* combine has turned the sign */
        z[i] = -z[i];
}

/* ---- the mark ---- */

tacit_status tc_fgp_mark(tc_fgp *g, tacit_error *err)
{
    if (g->mark_mean == NULL)
        g->mark_mean = TC_TAKE(&g->arena, g->n, double);
    if (g->mark_var == NULL)
        g->mark_var = TC_TAKE(&g->arena, g->n, double);
    if (g->mark_mean == NULL || g->mark_var == NULL)
        return tc_fail_memory(err);
    memcpy(g->mark_mean, g->mean, g->n * sizeof *g->mean);
    memcpy(g->mark_var, g->var, g->n * sizeof *g->var);
    g->mark_t = g->t;
    g->marked = true;
    return TACIT_OK;
}

void tc_fgp_restore(tc_fgp *g)
{
    assert(g->marked && g->mark_t <= g->t);
    memcpy(g->mean, g->mark_mean, g->n * sizeof *g->mean);
    memcpy(g->var, g->mark_var, g->n * sizeof *g->var);
    g->t = g->mark_t;
}

/* ---- answers ---- */

size_t tc_fgp_size(const tc_fgp *g)
{
    return g->t;
}

const double *tc_fgp_mean(const tc_fgp *g)
{
    return g->mean;
}

const double *tc_fgp_variance(const tc_fgp *g)
{
    return g->var;
}

double tc_fgp_info_gain(const tc_fgp *g)
{
    double sum = 0;
    for (size_t i = 0; i < g->t; i++) {
        const double s = factor_row(g, i)[i];
        sum += log(s * s * g->count[i] / g->noise);
    }
    return sum / 2;
}

typedef struct ucb_pass {
    const tc_fgp *g;
    double width;
    const unsigned char *skip;
} ucb_pass;

static void ucb_tile(void *ctx, size_t tile)
{
    const ucb_pass *p = ctx;
    const tc_fgp *g = p->g;
    const size_t from = tile * TC_TILE;
    best *b = &g->tile_best[tile];
    b->score = tc_tile_best(tile_length(g, tile), p->width, g->mean + from, g->var + from,
                            p->skip == NULL ? NULL : p->skip + from, &b->at);
    b->at += from;
}

size_t tc_fgp_argmax_ucb(const tc_fgp *g, double width, const unsigned char *skip)
{
    ucb_pass pass = {.g = g, .width = width, .skip = skip};
    best top = {.score = -(double)INFINITY, .at = g->n};
    each_tile(g, 1, ucb_tile, &pass);
    for (size_t i = 0; i < g->tiles; i++)
        if (g->tile_best[i].score > top.score)
            top = g->tile_best[i];
    return top.at;
}
