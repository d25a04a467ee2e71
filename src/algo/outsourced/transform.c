/* transform.c - centre, look at the singular values, raise them or not, project. See transform.h. */
#include "algo/outsourced/transform.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <math.h>

double tc_transform_omega(double epsilon, double delta, size_t rank)
{
    double r = (double)rank;
    return 16 * sqrt(r * log(2 / delta)) / epsilon * log(16 * r / delta);
}

typedef struct centred {
    tc_arena arena;
    size_t n, d;
    double *X;     /* n x d column-major; the decomposition destroys it */
    double *U;     /* n x d */
    double *sigma; /* d, falling */
    double *Vt;    /* d x d */
} centred;

static tacit_status check(size_t n, size_t d, double epsilon, double delta, size_t rank,
                          tacit_error *err)
{
    if (d == 0 || n < d)
        return tc_fail(err, TACIT_E_ARG,
                       "paper mode needs at least as many rows as columns, got %zu rows of %zu", n,
                       d);
    if (!(epsilon > 0 && isfinite(epsilon)))
        return tc_fail(err, TACIT_E_ARG, "epsilon must be > 0, got %g", epsilon);
    if (!(delta > 0 && delta < 1))
        return tc_fail(err, TACIT_E_ARG, "paper mode needs a delta in (0, 1), got %g", delta);
    if (rank == 0 || rank > TACIT_ROW_RANK_MAX)
        return tc_fail(err, TACIT_E_ARG, "the rank must be in 1..%d, got %zu", TACIT_ROW_RANK_MAX,
                       rank);
    return TACIT_OK;
}

static tacit_status decompose(centred *c, size_t n, size_t d, const double *x, tacit_error *err)
{
    *c = (centred){.n = n, .d = d};
    c->X = TC_TAKE(&c->arena, n * d, double);
    c->U = TC_TAKE(&c->arena, n * d, double);
    c->sigma = TC_TAKE(&c->arena, d, double);
    c->Vt = TC_TAKE(&c->arena, d * d, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    TC_TRY(tc_la_start(err));
    for (size_t k = 0; k < d; k++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += x[i * d + k] / (double)n;
        for (size_t i = 0; i < n; i++)
            c->X[i + k * n] = x[i * d + k] - mean;
    }
    return tc_svd(n, d, c->X, n, c->U, c->sigma, c->Vt, err);
}

static tc_transform judge(const centred *c, double epsilon, double delta, size_t rank)
{
    tc_transform t = {.sigma_min = c->sigma[c->d - 1],
                      .omega = tc_transform_omega(epsilon, delta, rank)};
    t.raise = t.sigma_min < t.omega;
    return t;
}

/* Ends c. */
static tacit_status finish(centred *c, tacit_status status)
{
    tc_arena_fini(&c->arena);
    return status;
}

tacit_status tc_transform_look(tc_transform *out, size_t n, size_t d, const double *x,
                               double epsilon, double delta, size_t rank, tacit_error *err)
{
    centred c;
    TC_TRY(check(n, d, epsilon, delta, rank, err));
    tacit_status status = decompose(&c, n, d, x, err);
    if (status == TACIT_OK)
        *out = judge(&c, epsilon, delta, rank);
    return finish(&c, status);
}

static double uniform(tc_entropy *e) /* (0, 1] */
{
    return ldexp((double)(e->u64(e->ctx) >> 11) + 1, -53);
}

static double normal(tc_entropy *e)
{
    double radius = sqrt(-2 * log(uniform(e)));
    return radius * cos(2 * M_PI * uniform(e));
}

/* Z' (rank x n, which is n x rank by rows) = r^(-1/2) M' V diag(sigma) U'. */
static tacit_status project(centred *c, const tc_transform *t, size_t rank, tc_entropy *e,
                            double *z, tacit_error *err)
{
    size_t n = c->n, d = c->d;
    double *M = TC_TAKE(&c->arena, d * rank, double), *MV = TC_TAKE(&c->arena, rank * d, double);
    if (c->arena.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < d * rank; i++)
        M[i] = normal(e);
    tc_gemm('T', 'T', rank, d, d, 1 / sqrt((double)rank), M, d, c->Vt, d, 0, MV, rank);
    for (size_t k = 0; k < d; k++)
        tc_scale(rank, t->raise ? hypot(c->sigma[k], t->omega) : c->sigma[k], MV + k * rank);
    tc_gemm('N', 'T', rank, n, d, 1, MV, rank, c->U, n, 0, z, rank);
    return TACIT_OK;
}

tacit_status tc_transform_make(tc_transform *out, size_t n, size_t d, const double *x,
                               double epsilon, double delta, size_t rank, tc_entropy *e, double *z,
                               tacit_error *err)
{
    centred c;
    tc_transform t = {0};
    TC_TRY(check(n, d, epsilon, delta, rank, err));
    tacit_status status = decompose(&c, n, d, x, err);
    if (status == TACIT_OK) {
        t = judge(&c, epsilon, delta, rank);
        status = project(&c, &t, rank, e, z, err);
    }
    if (status == TACIT_OK)
        *out = t;
    return finish(&c, status);
}
