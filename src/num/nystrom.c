/* nystrom.c - Nystrom features by an eigendecomposition of the dictionary's covariance; see
 * nystrom.h. Called by algorithms that keep a dictionary. */
#include "num/nystrom.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static tc_kernel kernel_of(const tc_nystrom *f)
{
    return (tc_kernel){f->hyper.kind, f->dim, f->hyper.variance, f->hyper.scale};
}

/* root = Q diag(w^-1/2) Q' over the eigenvalues that stand out of round-off. Q is overwritten. */
static void pseudo_root(tc_nystrom *f, double *Q, const double *w)
{
    size_t m = f->m;
    double cut = m == 0 ? 0.0 : (double)m * DBL_EPSILON * w[m - 1];
    f->rank = 0;
    for (size_t j = 0; j < m; j++) {
        bool kept = w[j] > cut;
        f->rank += kept;
        tc_scale(m, kept ? 1.0 / sqrt(sqrt(w[j])) : 0.0, Q + j * m);
    }
    if (m > 0)
        tc_gemm('N', 'T', m, m, m, 1.0, Q, m, Q, m, 0.0, f->root, m);
}

static tacit_status decompose(tc_nystrom *f, tacit_error *err)
{
    size_t m = f->m;
    tc_arena arena = {0};
    double *Q = TC_TAKE(&arena, m * m, double);
    double *w = TC_TAKE(&arena, m, double);
    tacit_status status = arena.failed ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK && m > 0) {
        tc_kernel k = kernel_of(f);
        tc_kernel_gram(&k, m, f->S, m, Q, m);
        status = tc_eigen(m, Q, m, w, err);
    }
    if (status == TACIT_OK)
        pseudo_root(f, Q, w);
    tc_arena_fini(&arena);
    return status;
}

static tacit_status take_arrays(tc_nystrom *f, tacit_error *err)
{
    f->hyper.scale = tc_alloc(f->dim, sizeof(double));
    f->S = tc_alloc(f->m * f->dim, sizeof(double));
    f->root = tc_alloc(f->m * f->m, sizeof(double));
    if (f->hyper.scale == NULL || f->S == NULL || f->root == NULL)
        return tc_fail_memory(err);
    return TACIT_OK;
}

tacit_status tc_nystrom_init(tc_nystrom *f, const tc_gp_hyper *h, size_t m, const double *S,
                             size_t lds, tacit_error *err)
{
    TC_TRY(tc_la_start(err));
    tc_nystrom made = {.m = m, .dim = h->dim, .hyper = *h};
    tacit_status status = take_arrays(&made, err);
    if (status == TACIT_OK) {
        memcpy(made.hyper.scale, h->scale, h->dim * sizeof(double));
        for (size_t d = 0; d < h->dim; d++)
            memcpy(made.S + d * m, S + d * lds, m * sizeof(double));
        status = decompose(&made, err);
    }
    if (status != TACIT_OK) {
        tc_nystrom_fini(&made);
        return status;
    }
    *f = made;
    return TACIT_OK;
}

void tc_nystrom_fini(tc_nystrom *f)
{
    tc_free(f->hyper.scale);
    tc_free(f->S);
    tc_free(f->root);
    *f = (tc_nystrom){0};
}

void tc_nystrom_at(const tc_nystrom *f, const double *x, double *phi, double *scratch)
{
    if (f->m == 0)
        return;
    tc_kernel k = kernel_of(f);
    tc_kernel_row(&k, x, f->m, f->S, f->m, scratch);
    tc_gemv('N', f->m, f->m, 1.0, f->root, f->m, scratch, 0.0, phi);
}
