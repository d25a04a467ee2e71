/* given.c - is it a covariance matrix? See given.h. */
#include "algo/single/given.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

/* A matrix of this size is factored once to see that it is one of covariances. */
enum { MOST_GIVEN = 4096 };

static tacit_status check_symmetric(size_t n, const double *K, tacit_error *err)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i <= j; i++) {
            double a = K[i + j * n], b = K[j + i * n];
            if (fabs(a - b) > 1e-9 * fmax(fabs(a), fabs(b)))
                return tc_fail(err, TACIT_E_ARG,
                               "kernel given: the points are no covariance matrix: row %zu column "
                               "%zu is %g, row %zu column %zu is %g",
                               i + 1, j + 1, a, j + 1, i + 1, b);
        }
    return TACIT_OK;
}

static tacit_status check_definite(size_t n, const double *K, tacit_error *err)
{
    tc_arena scratch = {0};
    double *Q = TC_TAKE(&scratch, n * n, double), *w = TC_TAKE(&scratch, n, double);
    tacit_status status = scratch.failed ? tc_fail_memory(err) : tc_la_start(err);
    if (status == TACIT_OK) {
        memcpy(Q, K, n * n * sizeof *Q);
        status = tc_eigen(n, Q, n, w, err);
    }
    if (status == TACIT_OK && !(w[0] >= -1e-8 * w[n - 1] && w[n - 1] > 0))
        status = tc_fail(err, TACIT_E_ARG,
                         "kernel given: the points are no covariance matrix: it has the eigenvalue "
                         "%g",
                         w[0]);
    tc_arena_fini(&scratch);
    return status;
}

tacit_status tc_given_covariance(const tc_space *space, const double **K, tacit_error *err)
{
    const tc_domain *d = space->domain;
    if (!d)
        return tc_fail(err, TACIT_E_ARG,
                       "kernel given needs a finite space: points, whose "
                       "coordinates are their covariances");
    if (d->dim != d->n)
        return tc_fail(err, TACIT_E_ARG,
                       "kernel given needs as many coordinates as points, got %zu coordinates of "
                       "%zu points",
                       d->dim, d->n);
    if (d->n > MOST_GIVEN)
        return tc_fail(err, TACIT_E_ARG, "kernel given takes at most %d points, got %zu",
                       MOST_GIVEN, d->n);
    TC_TRY(check_symmetric(d->n, d->raw, err));
    TC_TRY(check_definite(d->n, d->raw, err));
    *K = d->raw;
    return TACIT_OK;
}
