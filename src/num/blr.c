/* blr.c - Bayesian linear regression on features; see blr.h.
 *
 * Called by algorithms that exchange weights of shared features. A model has one of two forms. The
 * primal one (blr_primal.c) costs O(M^2) an observation and a draw. The dual one (blr_dual.c) costs
 * O(n M + n^2) and has less memory to look at: with M = 100 and n up to 50 half the time, with M = 50
 * and n up to 50 somewhat more. So it is for models that will see at most M/2 observations. With one
 * more than that a model is made anew in the primal form, which costs as much as if it had been
 * primal all along. */
#include "num/blr_int.h"

#include "base/error.h"

/* Observations that the dual form is good for. */
static size_t dual_most(const tc_blr *r)
{
    return r->M / 2;
}

static bool take_arrays(tc_blr *r)
{
    size_t room = tc_blr_whole(r->M, TC_BLR_LANES);
    double **const vectors[] = {&r->mean, &r->p,   &r->q, &r->t, &r->shrink,
                                &r->pull, &r->sum, &r->y, &r->z};
    r->W = TC_TAKE(&r->arena, tc_blr_row_at(room), double);
    r->row = TC_TAKE(&r->arena, dual_most(r), const double *);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = TC_TAKE(&r->arena, room + 1, double);
    return !r->arena.failed;
}

tacit_status tc_blr_new(tc_blr **out, size_t M, double lambda, tacit_error *err)
{
    return tc_blr_new_borrowing(out, M, lambda, 0, err);
}

tacit_status tc_blr_new_borrowing(tc_blr **out, size_t M, double lambda, uint64_t expected,
                                  tacit_error *err)
{
    if (!(lambda > 0.0))
        return tc_fail(err, TACIT_E_ARG, "lambda of a linear model must be > 0, got %g", lambda);
    tc_blr *r = tc_alloc(1, sizeof *r);
    if (r == NULL)
        return tc_fail_memory(err);
    r->M = M;
    r->lambda = lambda;
    if (!take_arrays(r)) {
        tc_blr_free(r);
        return tc_fail_memory(err);
    }
    if (expected == 0 || expected > dual_most(r))
        tc_blr_primal_begin(r);
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

static void become_primal(tc_blr *r)
{
    tc_blr_primal_begin(r);
    for (size_t i = 0; i < r->n; i++)
        tc_blr_primal_add(r, r->row[i], r->y[i]);
}

void tc_blr_add(tc_blr *r, const double *phi, double y)
{
    if (r->M == 0)
        return;
    if (!r->primal && r->n == dual_most(r))
        become_primal(r);
    if (r->primal)
        tc_blr_primal_add(r, phi, y);
    else
        tc_blr_dual_add(r, phi, y);
    r->n++;
}

tc_blr_news tc_blr_latest(const tc_blr *r)
{
    return r->latest;
}

const double *tc_blr_mean(tc_blr *r)
{
    if (!r->mean_known && r->M > 0)
        tc_blr_dual_mean(r);
    return r->mean;
}

void tc_blr_sample(tc_blr *r, tc_stream *s, double *w)
{
    if (r->M == 0)
        return;
    if (r->primal)
        tc_blr_primal_sample(r, s, w);
    else
        tc_blr_dual_sample(r, s, w);
}

void tc_blr_solve(tc_blr *r, const double *x, double *out)
{
    if (r->M == 0)
        return;
    if (r->primal)
        tc_blr_primal_solve(r, x, out);
    else
        tc_blr_dual_solve(r, x, out);
}

void tc_blr_spread(tc_blr *r, const double *e, double *out)
{
    if (r->M == 0)
        return;
    if (r->primal)
        tc_blr_primal_spread(r, e, out);
    else
        tc_blr_dual_spread(r, e, out);
}
