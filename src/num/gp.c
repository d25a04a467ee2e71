/* gp.c - exact Gaussian-process regression on a growing Cholesky factor; see gp.h.
 *
 * K + s2 I = L L', R = L^-1. With u = R k(x): mu = k'alpha, var = v - u'u, and the gradient of the
 * variance is -2 dk' R'u. R is kept beside L because predictions are asked for far more often than
 * factors are made: two dgemv take 1.7 us at n = 100 where two dtrsv take 3.8, and a dgemm over 500
 * candidates half the time of a dtrsm. It costs n^3 flops a reset, a fraction of one fit.
 * Called by acquisition functions, path.c and whoever needs a posterior. */
#include "num/gp.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    BLOCK = 64 /* points of predict_many at a time: two n x BLOCK arrays stay in L2 for n <= 500 */
};

struct tc_gp {
    tc_arena arena; /* the arrays of size cap */
    tc_gp_hyper hyper;
    size_t n, cap;
    double *X;          /* cap x dim column-major */
    double *L;          /* cap x cap, lower */
    double *R;          /* cap x cap, L^-1; zero above the diagonal */
    double *alpha;      /* n */
    double *jitter;     /* n: added to the diagonal entry of each point */
    double *known;      /* n: the variance of noise that each has beside s2 */
    double *k, *row;    /* n each: scratch of push */
    double base_jitter; /* what the last reset added: pushed points get it, too */
    size_t targets;     /* points whose targets are set; alpha is valid if it is n */
    double *work;       /* of reset and predict_many */
    size_t work_cap;
};

static tc_kernel kernel_of(const tc_gp *g)
{
    return (tc_kernel){g->hyper.kind, g->hyper.dim, g->hyper.variance, g->hyper.scale};
}

tacit_status tc_gp_new(tc_gp **out, size_t dim, tacit_error *err)
{
    TC_TRY(tc_la_start(err));
    tc_gp *g = tc_alloc(1, sizeof *g);
    if (g == NULL)
        return tc_fail_memory(err);
    g->hyper = (tc_gp_hyper){.dim = dim, .variance = 1.0, .scale = tc_alloc(dim, sizeof(double))};
    if (g->hyper.scale == NULL) {
        tc_gp_free(g);
        return tc_fail_memory(err);
    }
    for (size_t d = 0; d < dim; d++)
        g->hyper.scale[d] = 1.0;
    *out = g;
    return TACIT_OK;
}

void tc_gp_free(tc_gp *g)
{
    if (g == NULL)
        return;
    tc_arena_fini(&g->arena);
    tc_free(g->hyper.scale);
    tc_free(g->work);
    tc_free(g);
}

static void copy_columns(size_t n, size_t cols, const double *A, size_t lda, double *B, size_t ldb)
{
    for (size_t j = 0; j < cols; j++)
        memmove(B + j * ldb, A + j * lda, n * sizeof(double));
}

/* Room for `need` points; what is there is kept. Columns start on cache lines whatever the capacity,
 * so that BLAS takes the same path, and gives the same bits, before and after growth. */
static tacit_status reserve(tc_gp *g, size_t need, tacit_error *err)
{
    if (need <= g->cap && g->cap > 0)
        return TACIT_OK;
    size_t cap = need > 2 * g->cap ? need : 2 * g->cap, dim = g->hyper.dim;
    cap = (cap + 7) / 8 * 8 + 8;
    tc_gp grown = *g;
    grown.arena = (tc_arena){0};
    grown.cap = cap;
    grown.X = TC_TAKE(&grown.arena, cap * dim, double);
    grown.L = TC_TAKE(&grown.arena, cap * cap, double);
    grown.R = TC_TAKE(&grown.arena, cap * cap, double);
    grown.alpha = TC_TAKE(&grown.arena, cap, double);
    grown.jitter = TC_TAKE(&grown.arena, cap, double);
    grown.known = TC_TAKE(&grown.arena, cap, double);
    grown.k = TC_TAKE(&grown.arena, cap, double);
    grown.row = TC_TAKE(&grown.arena, cap, double);
    if (grown.arena.failed) {
        tc_arena_fini(&grown.arena);
        return tc_fail_memory(err);
    }
    if (g->n > 0) {
        copy_columns(g->n, dim, g->X, g->cap, grown.X, cap);
        copy_columns(g->n, g->n, g->L, g->cap, grown.L, cap);
        copy_columns(g->n, g->n, g->R, g->cap, grown.R, cap);
        copy_columns(g->n, 1, g->alpha, g->cap, grown.alpha, cap);
        copy_columns(g->n, 1, g->jitter, g->cap, grown.jitter, cap);
        copy_columns(g->n, 1, g->known, g->cap, grown.known, cap);
    }
    tc_arena_fini(&g->arena);
    *g = grown;
    return TACIT_OK;
}

static tacit_status reserve_work(tc_gp *g, size_t need, tacit_error *err)
{
    if (!tc_grow((void **)&g->work, &g->work_cap, need, sizeof(double)))
        return tc_fail_memory(err);
    return TACIT_OK;
}

/* R = L^-1 by solving for the columns of the identity. */
static void invert_factor(tc_gp *g, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        memset(g->R + j * g->cap, 0, n * sizeof *g->R);
        g->R[j + j * g->cap] = 1.0;
    }
    tc_solve_lower_many(n, n, g->L, g->cap, g->R, g->cap);
}

/* The row of R for row n of L: -(l'R)/pivot, then 1/pivot. */
static void append_inverse(tc_gp *g)
{
    size_t n = g->n, ld = g->cap;
    double pivot = g->L[n + n * ld], *l = g->k, *row = g->row;
    for (size_t j = 0; j < n; j++)
        l[j] = g->L[n + j * ld];
    if (n > 0)
        tc_gemv('T', n, n, -1.0 / pivot, g->R, ld, l, 0.0, row);
    for (size_t j = 0; j < n; j++) {
        g->R[n + j * ld] = row[j];
        g->R[j + n * ld] = 0.0;
    }
    g->R[n + n * ld] = 1.0 / pivot;
}

/* Factors the n points in X at once. */
static tacit_status factor(tc_gp *g, size_t n, tacit_error *err)
{
    tc_kernel k = kernel_of(g);
    tc_kernel_gram(&k, n, g->X, g->cap, g->L, g->cap);
    for (size_t i = 0; i < n; i++)
        g->L[i + i * g->cap] += g->hyper.noise + g->known[i];
    TC_TRY(tc_chol_jitter(n, g->L, g->cap, g->work, &g->base_jitter, err));
    for (size_t i = 0; i < n; i++)
        g->jitter[i] = g->base_jitter;
    invert_factor(g, n);
    return TACIT_OK;
}

tacit_status tc_gp_reset(tc_gp *g, const tc_gp_hyper *h, size_t n, const double *X, size_t ldx,
                         tacit_error *err)
{
    return tc_gp_reset_known(g, h, n, X, ldx, NULL, err);
}

tacit_status tc_gp_reset_known(tc_gp *g, const tc_gp_hyper *h, size_t n, const double *X,
                               size_t ldx, const double *known, tacit_error *err)
{
    size_t dim = g->hyper.dim;
    assert(h->dim == dim);
    TC_TRY(reserve(g, n, err));
    TC_TRY(reserve_work(g, n * n + 1, err));
    double *scale = g->hyper.scale;
    memmove(scale, h->scale, dim * sizeof *scale);
    g->hyper = *h;
    g->hyper.scale = scale;
    g->n = g->targets = 0;
    g->base_jitter = 0.0;
    if (n == 0)
        return TACIT_OK;
    copy_columns(n, dim, X, ldx, g->X, g->cap);
    for (size_t i = 0; i < n; i++)
        g->known[i] = known ? known[i] : 0.0;
    TC_TRY(factor(g, n, err));
    g->n = n;
    return TACIT_OK;
}

/* Appends the row for covariances g->k. A pivot lost to round-off (a repeated point, hardly any
 * noise) is helped by jitter on the new diagonal entry, in the steps of tc_chol_jitter. */
static tacit_status append(tc_gp *g, double kk, double *jitter, tacit_error *err)
{
    tacit_error why = {0};
    *jitter = g->base_jitter;
    tacit_status status = tc_chol_append(g->n, g->L, g->cap, g->k, kk + *jitter, &why);
    for (double extra = 1e-10; status == TACIT_E_NUMERIC && extra < 2e-4; extra *= 10.0) {
        *jitter = g->base_jitter + extra * kk;
        status = tc_chol_append(g->n, g->L, g->cap, g->k, kk + *jitter, &why);
    }
    return tc_pass_on(err, status, &why);
}

tacit_status tc_gp_push_known(tc_gp *g, const double *x, double known, tacit_error *err)
{
    TC_TRY(reserve(g, g->n + 1, err));
    tc_kernel k = kernel_of(g);
    if (g->n > 0)
        tc_kernel_row(&k, x, g->n, g->X, g->cap, g->k);
    const double noise = g->hyper.noise + known;
    TC_TRY(append(g, g->hyper.variance + noise, &g->jitter[g->n], err));
    g->known[g->n] = known;
    append_inverse(g);
    for (size_t d = 0; d < g->hyper.dim; d++)
        g->X[g->n + d * g->cap] = x[d];
    g->n++;
    return TACIT_OK;
}

void tc_gp_truncate(tc_gp *g, size_t n)
{
    assert(n <= g->n);
    g->n = n;
    if (g->targets != n)
        g->targets = 0;
}

void tc_gp_targets(tc_gp *g, const double *y)
{
    g->targets = g->n;
    if (g->n == 0)
        return;
    memcpy(g->alpha, y, g->n * sizeof *y);
    tc_chol_solve(g->n, g->L, g->cap, g->alpha);
}

void tc_gp_solve(const tc_gp *g, double *t)
{
    tc_chol_solve(g->n, g->L, g->cap, t);
}

size_t tc_gp_size(const tc_gp *g)
{
    return g->n;
}

const tc_gp_hyper *tc_gp_hyper_of(const tc_gp *g)
{
    return &g->hyper;
}

const double *tc_gp_points(const tc_gp *g, size_t *ld)
{
    *ld = g->cap;
    return g->X;
}

const double *tc_gp_factor(const tc_gp *g, size_t *ld)
{
    *ld = g->cap;
    return g->L;
}

const double *tc_gp_inverse_factor(const tc_gp *g, size_t *ld)
{
    *ld = g->cap;
    return g->R;
}

const double *tc_gp_weights(const tc_gp *g)
{
    assert(g->targets == g->n);
    return g->alpha;
}

const double *tc_gp_known(const tc_gp *g)
{
    return g->known;
}

double tc_gp_jitter(const tc_gp *g)
{
    double largest = 0.0;
    for (size_t i = 0; i < g->n; i++)
        largest = fmax(largest, g->jitter[i]);
    return largest;
}

size_t tc_gp_scratch_size(const tc_gp *g)
{
    return (g->n + 1) * (g->hyper.dim + 2);
}

static double clipped(double var)
{
    return var > 0.0 ? var : 0.0; /* round-off at an observed point */
}

void tc_gp_predict(const tc_gp *g, const double *x, double *mean, double *var, double *scratch)
{
    size_t n = g->n;
    double *k = scratch, *u = scratch + n, reduction = 0.0, value = 0.0;
    if (n > 0) {
        tc_kernel kernel = kernel_of(g);
        tc_kernel_row(&kernel, x, n, g->X, g->cap, k);
        value = mean == NULL ? 0.0 : tc_dot(n, k, tc_gp_weights(g));
        tc_gemv('N', n, n, 1.0, g->R, g->cap, k, 0.0, u);
        reduction = tc_dot(n, u, u);
    }
    if (mean != NULL)
        *mean = value;
    *var = clipped(g->hyper.variance - reduction);
}

void tc_gp_predict_grad(const tc_gp *g, const double *x, double *mean, double *var, double *dmean,
                        double *dvar, double *scratch)
{
    size_t n = g->n, dim = g->hyper.dim;
    double *k = scratch, *u = scratch + n, *dk = scratch + 2 * n;
    *mean = 0.0;
    *var = g->hyper.variance;
    memset(dmean, 0, dim * sizeof *dmean);
    memset(dvar, 0, dim * sizeof *dvar);
    if (n == 0)
        return;
    tc_kernel kernel = kernel_of(g);
    const double *weights = tc_gp_weights(g);
    tc_kernel_row_grad(&kernel, x, n, g->X, g->cap, k, dk, n);
    *mean = tc_dot(n, k, weights);
    tc_gemv('T', n, dim, 1.0, dk, n, weights, 0.0, dmean);
    tc_gemv('N', n, n, 1.0, g->R, g->cap, k, 0.0, u);
    *var = clipped(*var - tc_dot(n, u, u));
    tc_gemv('T', n, n, 1.0, g->R, g->cap, u, 0.0, k);
    tc_gemv('T', n, dim, -2.0, dk, n, k, 0.0, dvar);
}

/* Columns of C: the covariances of m points with the n observed ones; U = R C. Column c of the means is
 * ldm after the one before. */
static void predict_block(const tc_gp *g, size_t m, const double *X, size_t ldx, size_t p,
                          const double *W, double *mean, size_t ldm, double *var, double *C)
{
    size_t n = g->n;
    double *U = C + n * BLOCK;
    tc_kernel kernel = kernel_of(g);
    tc_kernel_cross(&kernel, n, g->X, g->cap, m, X, ldx, C, n);
    for (size_t c = 0; mean != NULL && c < p; c++)
        tc_gemv('T', n, m, 1.0, C, n, W + c * n, 0.0, mean + c * ldm);
    if (var == NULL)
        return;
    tc_gemm('N', 'N', n, m, n, 1.0, g->R, g->cap, C, n, 0.0, U, n);
    for (size_t j = 0; j < m; j++)
        var[j] = clipped(g->hyper.variance - tc_dot(n, U + j * n, U + j * n));
}

static void predict_prior(const tc_gp *g, size_t m, size_t p, double *mean, double *var)
{
    for (size_t j = 0; j < m * p && mean != NULL; j++)
        mean[j] = 0.0;
    for (size_t j = 0; j < m && var != NULL; j++)
        var[j] = g->hyper.variance;
}

tacit_status tc_gp_predict_many_columns(tc_gp *g, size_t m, const double *X, size_t ldx, size_t p,
                                        const double *W, double *mean, double *var,
                                        tacit_error *err)
{
    if (g->n == 0) {
        predict_prior(g, m, p, mean, var);
        return TACIT_OK;
    }
    TC_TRY(reserve_work(g, 2 * g->n * BLOCK, err));
    for (size_t j = 0; j < m; j += BLOCK) {
        size_t len = m - j < BLOCK ? m - j : BLOCK;
        predict_block(g, len, X + j, ldx, p, W, mean == NULL ? NULL : mean + j, m,
                      var == NULL ? NULL : var + j, g->work);
    }
    return TACIT_OK;
}

tacit_status tc_gp_predict_many(tc_gp *g, size_t m, const double *X, size_t ldx, double *mean,
                                double *var, tacit_error *err)
{
    const double *weights = g->n > 0 && mean != NULL ? tc_gp_weights(g) : NULL;
    return tc_gp_predict_many_columns(g, m, X, ldx, 1, weights, mean, var, err);
}
