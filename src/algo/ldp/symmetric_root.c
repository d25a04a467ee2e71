/* symmetric_root.c - two eigendecompositions: of K_SS when the dictionary changes, of V at every
 * step. See symmetric_root.h. Called by ata.c. */
#include "algo/ldp/symmetric_root.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <float.h>
#include <math.h>
#include <string.h>

void tc_symmetric_root_fini(tc_symmetric_root *r)
{
    tc_free(r->S);
    tc_free(r->phi);
    tc_free(r->U);
    tc_free(r->V);
    tc_free(r->Q);
    tc_free(r->half);
    tc_free(r->w);
    *r = (tc_symmetric_root){0};
}

/* Everything is written anew after it, so nothing is kept. */
static tacit_status make_room(tc_symmetric_root *r, size_t m, size_t n, tacit_error *err)
{
    if (m <= r->cap)
        return TACIT_OK;
    size_t cap = m < n / 2 ? 2 * m : n;
    tc_symmetric_root_fini(r);
    r->S = tc_alloc(cap, sizeof *r->S);
    r->phi = tc_alloc(cap * n, sizeof *r->phi);
    r->U = tc_alloc(cap * n, sizeof *r->U);
    r->V = tc_alloc(cap * cap, sizeof *r->V);
    r->Q = tc_alloc(cap * cap, sizeof *r->Q);
    r->half = tc_alloc(cap * cap, sizeof *r->half);
    r->w = tc_alloc(cap, sizeof *r->w);
    if (!r->S || !r->phi || !r->U || !r->V || !r->Q || !r->half || !r->w)
        return tc_fail_memory(err);
    r->cap = cap;
    return TACIT_OK;
}

/* half = (A^-1/2)^+ of the matrix in Q, over the eigenvalues that stand out of round-off. */
static tacit_status inverse_root(tc_symmetric_root *r, tacit_error *err)
{
    size_t m = r->m;
    if (m == 0)
        return TACIT_OK;
    TC_TRY(tc_eigen(m, r->Q, m, r->w, err));
    double cut = (double)m * DBL_EPSILON * r->w[m - 1];
    for (size_t j = 0; j < m; j++)
        tc_scale(m, r->w[j] > cut ? 1 / sqrt(sqrt(r->w[j])) : 0, r->Q + j * m);
    tc_gemm('N', 'T', m, m, m, 1, r->Q, m, r->Q, m, 0, r->half, m);
    return TACIT_OK;
}

static bool same_dictionary(const tc_symmetric_root *r, const tc_ldp_model *m)
{
    size_t k = 0;
    for (size_t x = 0; x < m->arms.n; x++)
        if (m->listed[x] && (k >= r->m || r->S[k++] != x))
            return false;
    return k == r->m;
}

static size_t count_listed(const tc_ldp_model *m)
{
    size_t count = 0;
    for (size_t x = 0; x < m->arms.n; x++)
        count += m->listed[x];
    return count;
}

/* V = sum of counts phi phi' + lambda I, with U as scratch. */
static void sum_plays(tc_symmetric_root *r, const tc_ldp_model *m)
{
    size_t n = m->arms.n;
    for (size_t i = 0; i < r->m; i++)
        for (size_t x = 0; x < n; x++)
            r->U[x + i * n] = r->phi[x + i * n] * m->sketch.count[x];
    tc_gemm('T', 'N', r->m, r->m, n, 1, r->phi, n, r->U, n, 0, r->V, r->m);
    for (size_t i = 0; i < r->m; i++)
        r->V[i + i * r->m] += m->law.lambda;
}

static tacit_status rebuild(tc_symmetric_root *r, tc_ldp_model *m, tacit_error *err)
{
    size_t n = m->arms.n, listed = count_listed(m);
    r->m = 0;
    TC_TRY(make_room(r, listed, n, err));
    for (size_t x = 0; x < n; x++)
        if (m->listed[x]) {
            tc_arms_row(&m->arms, x, r->U + r->m * n);
            r->S[r->m++] = x;
        }
    for (size_t j = 0; j < r->m; j++)
        for (size_t i = 0; i < r->m; i++)
            r->Q[i + j * r->m] = r->U[r->S[i] + j * n];
    TC_TRY(inverse_root(r, err));
    tc_gemm('N', 'N', n, r->m, r->m, 1, r->U, n, r->half, r->m, 0, r->phi, n);
    sum_plays(r, m);
    return TACIT_OK;
}

tacit_status tc_symmetric_root_follow(tc_symmetric_root *r, tc_ldp_model *m, size_t a,
                                      tacit_error *err)
{
    size_t n = m->arms.n;
    if (!same_dictionary(r, m))
        return rebuild(r, m, err);
    for (size_t j = 0; j < r->m; j++)
        for (size_t i = 0; i < r->m; i++)
            r->V[i + j * r->m] += r->phi[a + i * n] * r->phi[a + j * n];
    return TACIT_OK;
}

tacit_status tc_symmetric_root_find(tc_symmetric_root *r, const tc_ldp_model *m, tacit_error *err)
{
    size_t n = m->arms.n;
    if (r->m == 0) /* every arm lost its toss */
        return TACIT_OK;
    memcpy(r->Q, r->V, r->m * r->m * sizeof *r->Q);
    TC_TRY(inverse_root(r, err));
    tc_gemm('N', 'N', n, r->m, r->m, 1, r->phi, n, r->half, r->m, 0, r->U, n);
    return TACIT_OK;
}
