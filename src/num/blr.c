/* blr.c - Bayesian linear regression on features; see blr.h.
 *
 * Called by algorithms that exchange weights of shared features. The mean is solved for lazily: a
 * party that only adds observations pays O(M^2) each. */
#include "num/blr.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct tc_blr {
    tc_arena arena;
    size_t M, n;
    double lambda;
    double *L;       /* M x M lower: L L' = Sigma */
    double *moment;  /* Phi'y */
    double *mean;    /* nu, if it is current */
    double *scratch; /* M */
    bool current;
};

tacit_status tc_blr_new(tc_blr **out, size_t M, double lambda, tacit_error *err)
{
    if (!(lambda > 0.0))
        return tc_fail(err, TACIT_E_ARG, "lambda of a linear model must be > 0, got %g", lambda);
    TC_TRY(tc_la_start(err));
    tc_blr *r = tc_alloc(1, sizeof *r);
    if (r == NULL)
        return tc_fail_memory(err);
    r->M = M;
    r->lambda = lambda;
    r->L = TC_TAKE(&r->arena, M * M, double);
    r->moment = TC_TAKE(&r->arena, M, double);
    r->mean = TC_TAKE(&r->arena, M, double);
    r->scratch = TC_TAKE(&r->arena, M, double);
    if (r->arena.failed) {
        tc_blr_free(r);
        return tc_fail_memory(err);
    }
    for (size_t i = 0; i < M; i++)
        r->L[i + i * M] = sqrt(lambda);
    r->current = true;
    *out = r;
    return TACIT_OK;
}

void tc_blr_free(tc_blr *r)
{
    if (r == NULL)
        return;
    tc_arena_fini(&r->arena);
    tc_free(r);
}

void tc_blr_add(tc_blr *r, const double *phi, double y)
{
    tc_axpy(r->M, y, phi, r->moment);
    memcpy(r->scratch, phi, r->M * sizeof *phi);
    tc_chol_update(r->M, r->L, r->M, r->scratch);
    r->n++;
    r->current = false;
}

size_t tc_blr_size(const tc_blr *r)
{
    return r->n;
}

const double *tc_blr_mean(tc_blr *r)
{
    if (!r->current) {
        memcpy(r->mean, r->moment, r->M * sizeof *r->mean);
        tc_chol_solve(r->M, r->L, r->M, r->mean);
        r->current = true;
    }
    return r->mean;
}

void tc_blr_sample(tc_blr *r, tc_stream *s, double *w)
{
    tc_draw_normals(s, r->M, w);
    tc_solve_lower_t(r->M, r->L, r->M, w);
    tc_scale(r->M, sqrt(r->lambda), w);
    tc_axpy(r->M, 1.0, tc_blr_mean(r), w);
}

double tc_blr_variance(const tc_blr *r, const double *phi, double *scratch)
{
    memcpy(scratch, phi, r->M * sizeof *phi);
    tc_solve_lower(r->M, r->L, r->M, scratch);
    return r->lambda * tc_dot(r->M, scratch, scratch);
}
