/* rkhs.c - a random function of a kernel's Hilbert space on 100 points of [0,1].
 *
 * f = sum of a_i k(., x_i) over SUPPORT points x_i of the domain, a_i uniform on [-1, 1], all from
 * the seed; divided by max |f|, so that the public bound on |f| is 1. The synthetic experiment of
 * Zhou and Tan (2021), after Chowdhury and Gopalan (2019), whose code divides likewise. The values
 * are tabulated: the optimum is exact. Called by objective.c alone. */
#include "objective/objective_int.h"

#include "base/error.h"
#include "num/kernel.h"

#include <math.h>

enum { SUPPORT = 100, USUAL_POINTS = 100, MOST_POINTS = 100000 };

static void draw_sum(tc_value_table *t, const tc_kernel *k, const tc_public_seed *seed)
{
    const tc_domain *d = t->domain;
    tc_stream s;
    tc_stream_public(&s, seed, TC_FOR_OBJECTIVE, 1);
    for (size_t i = 0; i < SUPPORT; i++) {
        double x = d->raw[tc_draw_below(&s, d->n)], a = 2 * tc_draw_uniform(&s) - 1;
        for (size_t j = 0; j < d->n; j++)
            t->values[j] += a * tc_kernel_at(k, &x, &d->raw[j]);
    }
}

static void scale_to_one(size_t n, double *values)
{
    double most = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, fabs(values[j]));
    for (size_t j = 0; j < n && most > 0; j++)
        values[j] /= most;
}

static tacit_status fill(tc_value_table *t, size_t points, const tc_kernel *k,
                         const tc_public_seed *seed, tacit_error *err)
{
    TC_TRY(tc_domain_grid(&t->domain, 1, &points, (double[]){0}, (double[]){1}, err));
    t->columns = 1;
    t->maximize = true;
    t->values = TC_TAKE(&t->memory, points, double);
    if (!t->values)
        return tc_fail_memory(err);
    draw_sum(t, k, seed);
    scale_to_one(points, t->values);
    return TACIT_OK;
}

static tacit_status draw(tc_value_table **out, tc_kernel_kind kind, const tc_objective_opts *opts,
                         const tc_public_seed *seed, tacit_error *err)
{
    tc_kernel k = {.kind = kind, .dim = 1, .variance = 1, .scale = &opts->lengthscale};
    if (!(opts->lengthscale > 0))
        return tc_fail(err, TACIT_E_ARG, "lengthscale must be > 0, not %g", opts->lengthscale);
    if (opts->grid < 0 || opts->grid == 1 || opts->grid > MOST_POINTS)
        return tc_fail(err, TACIT_E_ARG, "grid is %lld; allowed are 2 to %d points",
                       (long long)opts->grid, MOST_POINTS);
    tc_value_table *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    size_t points = opts->grid ? (size_t)opts->grid : USUAL_POINTS;
    tacit_status status = fill(t, points, &k, seed, err);
    if (status != TACIT_OK) {
        tc_value_table_free(t);
        return status;
    }
    *out = t;
    return TACIT_OK;
}

static tacit_status draw_se(tc_value_table **out, const tc_objective_opts *opts,
                            const tc_public_seed *seed, tacit_error *err)
{
    return draw(out, TC_KERNEL_SE, opts, seed, err);
}

static tacit_status draw_matern52(tc_value_table **out, const tc_objective_opts *opts,
                                  const tc_public_seed *seed, tacit_error *err)
{
    return draw(out, TC_KERNEL_MATERN52, opts, seed, err);
}

const tc_objective_kind tc_objective_rkhs_se = {
    .info = {.name = "rkhs-se",
             .summary = "a random sum of SE kernels on 100 points, |f| <= 1, maximised",
             .source = "the synthetic experiment of Zhou and Tan (2021)"},
    .maximize = true,
    .dim = 1,
    .max_dim = 1,
    .tabulate = draw_se,
};

const tc_objective_kind tc_objective_rkhs_matern52 = {
    .info = {.name = "rkhs-matern52",
             .summary = "a random sum of Matern 5/2 kernels on 100 points, |f| <= 1, maximised",
             .source = "the synthetic experiment of Zhou and Tan (2021)"},
    .maximize = true,
    .dim = 1,
    .max_dim = 1,
    .tabulate = draw_matern52,
};
