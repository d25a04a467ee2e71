/* pld_gaussian.c - the loss of a Gaussian, sampled or not.
 *
 * In units of the noise: Q0 = N(0, 1), P0 = N(c, 1) with c = 1/z, base loss a(u) = c u - c^2/2.
 * The tails that are left out hold less than `lost`: Phi(-t) <= exp(-t^2/2)/2. Called by
 * pld_source.c. */
#include "privacy/pld_int.h"

#include <math.h>

#define LOG_SQRT_2PI 0.91893853320467274178

tc_pld_base tc_pld_gaussian_at(const tc_pld_source *s, double u)
{
    double c = s->shift, v = u - c;
    return (tc_pld_base){.log_p = -0.5 * v * v - LOG_SQRT_2PI,
                         .log_q = -0.5 * u * u - LOG_SQRT_2PI,
                         .loss = c * (u - 0.5 * c)};
}

/* t with weight * Phi(-t) <= lost / 4 */
static double reach(double weight, double lost)
{
    return sqrt(2 * log(fmax(1, 2 * weight / lost)));
}

static double loss_at(const tc_pld_source *s, double u)
{
    return tc_pld_sampled_loss(s->q, tc_pld_gaussian_at(s, u).loss);
}

/* The two bells are so far apart that under Q0 the mixture is a constant times Q0: there exp(a) is
 * below exp(-4 t^2), far less than a double can tell from 0 beside 1 - q >= u. */
static void add_far_bell(tc_pld_source *s)
{
    s->atom_loss[0] = log1p(-s->q);
    s->atom_mass[0] = 1 - s->q;
    s->atoms = 1;
}

void tc_pld_gaussian(tc_pld_source *s, double lost)
{
    double c = s->shift, wide = reach(1, lost), top = c + reach(s->q, lost);
    bool whole = s->q >= 1, far = !whole && c > 4 * wide;
    if (far)
        add_far_bell(s);
    s->low[0] = whole || far ? c - wide : -wide;
    s->high[0] = fmax(wide, top);
    s->ranges = 1;
    s->least = far ? s->atom_loss[0] : loss_at(s, s->low[0]);
    s->most = loss_at(s, s->high[0]);
    s->peak = far ? s->atom_loss[0] : loss_at(s, whole ? c : 0);
    s->steep = wide + 3 + c;
    s->lost = lost;
    s->error = 64 + 8 * (wide + 1) * (wide + 1) + 4 * fabs(s->high[0]) * wide;
}
