/* arms.c - candidates, or a sample of a box, and their covariances. See arms.h. */
#include "algo/ldp/arms.h"

#include "algo/single/cover.h"
#include "algo/single/given.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- a sample ---- */

/* Is row i the same point as an earlier row? */
static bool repeated(const double *u, size_t i, size_t dim, size_t ld)
{
    for (size_t k = 0; k < i; k++) {
        size_t d = 0;
        while (d < dim && u[k + d * ld] == u[i + d * ld])
            d++;
        if (d == dim)
            return true;
    }
    return false;
}

/* Closes the gaps: n rows of a matrix that has room for ld. */
static void repack(double *u, size_t n, size_t dim, size_t ld)
{
    for (size_t d = 0; d < dim; d++)
        memmove(u + d * n, u + d * ld, n * sizeof *u);
}

static tacit_status take_sample(tc_arms *a, size_t wanted, tacit_error *err)
{
    const tc_space *s = a->env->space;
    tc_cover cover;
    tc_stream stream;
    a->sampled = tc_alloc(wanted * s->dim, sizeof *a->sampled);
    a->values = tc_alloc(wanted * s->n_params, sizeof *a->values);
    if (!a->sampled || !a->values)
        return tc_fail_memory(err);
    tc_stream_public(&stream, &a->env->public_seed, TC_FOR_DESIGN, 0);
    tc_cover_init(&cover, s, &stream);
    for (size_t i = 0; i < wanted; i++) {
        double *v = a->values + a->n * s->n_params;
        tc_cover_next(&cover, v);
        tc_space_encode(s, v, a->point);
        for (size_t d = 0; d < s->dim; d++)
            a->sampled[a->n + d * wanted] = a->point[d];
        a->n += !repeated(a->sampled, a->n, s->dim, wanted);
    }
    repack(a->sampled, a->n, s->dim, wanted);
    a->u = a->sampled;
    return TACIT_OK;
}

/* ---- life ---- */

static tacit_status take_points(tc_arms *a, size_t wanted, tacit_error *err)
{
    const tc_domain *d = a->env->space->domain;
    if (!d)
        return take_sample(a, wanted, err);
    a->n = d->n;
    a->u = d->u;
    return TACIT_OK;
}

tacit_status tc_arms_init(tc_arms *a, const tc_env *env, int kernel, double lengthscale,
                          size_t wanted, tacit_error *err)
{
    *a = (tc_arms){.env = env, .dim = env->space->dim};
    a->scale = tc_alloc(a->dim, sizeof *a->scale);
    a->point = tc_alloc(a->dim, sizeof *a->point);
    if (!a->scale || !a->point)
        return tc_fail_memory(err);
    for (size_t d = 0; d < a->dim; d++)
        a->scale[d] = lengthscale;
    a->kernel = (tc_kernel){.dim = a->dim, .variance = 1, .scale = a->scale};
    if (kernel == TC_ARMS_GIVEN)
        TC_TRY(tc_given_covariance(env->space, &a->K, err));
    else
        a->kernel.kind = (tc_kernel_kind)kernel;
    TC_TRY(take_points(a, wanted, err));
    a->closed = tc_alloc(a->n, 1);
    return a->closed ? TACIT_OK : tc_fail_memory(err);
}

void tc_arms_fini(tc_arms *a)
{
    tc_free(a->sampled);
    tc_free(a->values);
    tc_free(a->scale);
    tc_free(a->point);
    tc_free(a->closed);
}

/* ---- use ---- */

double tc_arms_prior(const tc_arms *a, size_t arm)
{
    return a->K ? a->K[arm + arm * a->n] : a->kernel.variance;
}

void tc_arms_row(const tc_arms *a, size_t arm, double *out)
{
    if (a->K) {
        memcpy(out, a->K + arm * a->n, a->n * sizeof *out);
        return;
    }
    for (size_t d = 0; d < a->dim; d++)
        a->point[d] = a->u[arm + d * a->n];
    tc_kernel_row(&a->kernel, a->point, a->n, a->u, a->n, out);
}

void tc_arms_values(const tc_arms *a, size_t arm, double *out)
{
    size_t n_params = a->env->space->n_params;
    if (a->values)
        memcpy(out, a->values + arm * n_params, n_params * sizeof *out);
    else
        out[0] = (double)arm;
}

/* Row i of U, n x dim column-major: the arm it is, or the nearest; ties: the lowest. */
static size_t nearest(const tc_arms *a, const double *U, size_t ld, size_t i)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t k = 0; k < a->n; k++) {
        double square = 0;
        for (size_t d = 0; d < a->dim; d++) {
            double gap = a->u[k + d * a->n] - U[i + d * ld];
            square += gap * gap;
        }
        if (square < least) {
            least = square;
            best = k;
        }
    }
    return best;
}

size_t tc_arms_of(const tc_arms *a, size_t i)
{
    const tc_history *h = a->env->history;
    return a->values ? nearest(a, h->U, h->ld, i) : h->point[i];
}

size_t tc_arms_told(const tc_arms *a)
{
    return tc_arms_of(a, a->env->history->n - 1);
}

const unsigned char *tc_arms_close(const tc_arms *a)
{
    const tc_history *h = a->env->history;
    size_t closed = 0;
    memset(a->closed, 0, a->n);
    for (size_t i = 0; i < h->n_taken; i++) {
        size_t arm = a->values ? nearest(a, h->taken, h->taken_ld, i) : h->taken_point[i];
        closed += !a->closed[arm];
        a->closed[arm] = 1;
    }
    if (closed == a->n)
        memset(a->closed, 0, a->n);
    return a->closed;
}

size_t tc_arms_any(const tc_arms *a, uint64_t trial)
{
    const unsigned char *closed = tc_arms_close(a);
    tc_stream s;
    tc_stream_party(&s, &a->env->party_seed, a->env->party, TC_FOR_DESIGN, trial);
    for (;;) {
        size_t arm = (size_t)tc_draw_below(&s, a->n);
        if (!closed[arm])
            return arm;
    }
}
