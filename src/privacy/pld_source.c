/* pld_source.c - one event as a source of privacy loss.
 *
 * A base mechanism has outcomes u with densities P0 (with the record) and Q0 (without), and the
 * base loss a(u) = ln P0/Q0, which does not fall in u. Poisson sampling at rate q makes of it the
 * dominating pairs (Zhu, Dong, Wang 2022, theorem 11)
 *     remove:  P = (1-q) Q0 + q P0  against  Q0,   loss l = ln(1 - q + q exp(a)),
 *     add:     Q0  against  (1-q) Q0 + q P0,       loss -l,
 * for base mechanisms that are symmetric, as all of ours are. Called by pld.c and pld_cells.c. */
#include "privacy/pld_int.h"

#include "base/error.h"

#include <float.h>
#include <math.h>

#define LARGE        40.0 /* 1 beside exp(LARGE) is less than a unit in its last place */
#define LONGEST_LOSS 1e9  /* beyond, a grid index times the count could leave 2^53 */

double tc_pld_sampled_loss(double q, double a)
{
    if (q >= 1)
        return a;
    if (a > LARGE) {
        double t = a + log(q); /* exp(a) alone may be beyond a double */
        return t > LARGE ? t : log1p(exp(t));
    }
    if (q > 0.5 && a < -0.5)
        return log((1 - q) + q * exp(a));
    return log1p(q * expm1(a));
}

double tc_pld_base_loss(double q, double loss)
{
    if (q >= 1)
        return loss;
    if (loss > LARGE)
        return loss - log(q);
    double rise = expm1(loss); /* q (exp(a) - 1) */
    if (rise <= -q)
        return -INFINITY;
    return rise > -0.5 * q ? log1p(rise / q) : log((rise + q) / q);
}

tc_pld_base tc_pld_base_at(const tc_pld_source *s, double u)
{
    return s->mechanism == TACIT_DP_GAUSSIAN ? tc_pld_gaussian_at(s, u) : tc_pld_laplace_at(s, u);
}

/* From the side whose density is not a tiny one times a huge ratio. */
double tc_pld_density(const tc_pld_source *s, double u, double *loss)
{
    tc_pld_base b = tc_pld_base_at(s, u);
    *loss = tc_pld_sampled_loss(s->q, b.loss);
    if (s->q >= 1)
        return exp(b.log_p);
    if (b.loss > 0)
        return exp(b.log_p) * (s->q + (1 - s->q) * exp(-b.loss));
    return exp(b.log_q + *loss);
}

tacit_status tc_pld_source_of(tc_pld_source *s, const tacit_dp_event *e, double lost,
                              tacit_error *err)
{
    *s = (tc_pld_source){.mechanism = e->mechanism, .count = e->count};
    s->q = e->sampling == TACIT_DP_POISSON ? e->sampling_rate : 1;
    s->symmetric = s->q >= 1;
    if (e->mechanism == TACIT_DP_GAUSSIAN) {
        s->shift = 1 / e->parameter;
        tc_pld_gaussian(s, lost);
    } else {
        s->shift = e->parameter;
        if (e->mechanism == TACIT_DP_LAPLACE)
            tc_pld_laplace(s, lost);
        else
            tc_pld_pure(s);
    }
    if (!(s->most < LONGEST_LOSS && s->least > -LONGEST_LOSS && s->most - s->least > DBL_MIN))
        return tc_fail(err, TACIT_E_NUMERIC,
                       "the privacy losses of an event reach from %g to %g, which no grid holds",
                       s->least, s->most);
    return TACIT_OK;
}
