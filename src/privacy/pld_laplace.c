/* pld_laplace.c - the losses of Laplace noise and of an arbitrary pure mechanism.
 *
 * Laplace with epsilon e: the base loss is e or -e with a probability (outcomes beyond the two
 * centres), and in between the outcome is the base loss itself, u in (-e, e), with
 *     P0(u) = exp(-(e - u)/2)/4,   Q0(u) = exp(-(e + u)/2)/4.
 * A pure mechanism is dominated by randomised response: losses e and -e only (Kairouz, Oh,
 * Viswanath 2015). Called by pld_source.c. */
#include "privacy/pld_int.h"

#include <math.h>

#define LOG_4 1.38629436111989061883

tc_pld_base tc_pld_laplace_at(const tc_pld_source *s, double u)
{
    double e = s->shift;
    return (tc_pld_base){
        .log_p = -0.5 * (e - u) - LOG_4, .log_q = -0.5 * (e + u) - LOG_4, .loss = u};
}

/* An outcome of base loss a: its P mass from those under P0 and Q0. */
static void add_atom(tc_pld_source *s, double a, double p0, double q0)
{
    s->atom_loss[s->atoms] = tc_pld_sampled_loss(s->q, a);
    s->atom_mass[s->atoms] = (1 - s->q) * q0 + s->q * p0;
    s->atoms++;
}

static void finish(tc_pld_source *s)
{
    s->least = s->atom_loss[0];
    s->most = s->atom_loss[1];
    s->peak = s->atom_mass[0] > s->atom_mass[1] ? s->least : s->most;
    s->error = 64 + 8 * fmin(s->shift, 1000);
}

/* Where e is large nearly all mass is within t of the ends: P0 has exp(-t/2)/2 beyond. */
void tc_pld_laplace(tc_pld_source *s, double lost)
{
    double e = s->shift, t = 2 * log(1 / lost);
    add_atom(s, -e, 0.5 * exp(-e), 0.5);
    add_atom(s, e, 0.5, 0.5 * exp(-e));
    bool split = e > t;
    s->low[0] = -e;
    s->high[0] = split ? -e + t : e;
    s->low[1] = e - t;
    s->high[1] = e;
    s->ranges = split ? 2 : 1;
    s->lost = split ? lost : 0;
    s->steep = 2;
    finish(s);
}

void tc_pld_pure(tc_pld_source *s)
{
    double e = s->shift, rare = 1 / (1 + exp(e));
    add_atom(s, -e, rare, 1 - rare);
    add_atom(s, e, 1 - rare, rare);
    finish(s);
}
