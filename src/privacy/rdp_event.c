/* rdp_event.c - the Renyi divergence of one event, and the conversion to (epsilon, delta).
 *
 * Parameters of events are those of zero-out adjacency. What is charged for replacement is in group.c. Fixed-size sampling is accounted under
 * substitution, where one member's contribution may move twice as far: a Gaussian has half the
 * noise multiplier, a pure mechanism twice the epsilon. */
#include "privacy/group.h"
#include "privacy/rdp.h"

#include <math.h>

/* Laplace with scale 1/epsilon, Mironov 2017, table II:
 *   RDP(a) = ln(a/(2a-1) e^((a-1) epsilon) + (a-1)/(2a-1) e^(-a epsilon)) / (a-1). */
double tc_rdp_laplace(double epsilon, double order)
{
    double a = order, grow = (a - 1) * epsilon, log_moment, units;
    double up = a / (2 * a - 1), down = (a - 1) / (2 * a - 1);
    if (grow > 1) {
        log_moment = grow + log(up) + log1p(down / up * exp(-(2 * a - 1) * epsilon));
        units = grow + 4;
    } else {
        double gain = up * expm1(grow), loss = down * expm1(-a * epsilon);
        log_moment = log1p(fmax(gain + loss, 0));
        units = 4 * gain;
    }
    double rdp = tc_up((log_moment + 4 * DBL_EPSILON * units) / (a - 1), 8);
    return fmin(rdp, tc_rdp_pure(epsilon, order));
}

double tc_rdp_pure(double epsilon, double order)
{
    return fmin(epsilon, tc_up(order * epsilon * epsilon / 2, 4));
}

double tc_pure_amplified(double epsilon, double q)
{
    if (q == 1)
        return epsilon;
    if (epsilon > 30) /* ln(q e^epsilon + 1 - q), without overflow */
        return fmin(epsilon, tc_up(epsilon + log(q) + log1p((1 - q) / q * exp(-epsilon)), 8) +
                                 4 * DBL_EPSILON * (epsilon - log(q)));
    return fmin(epsilon, tc_up(log1p(q * expm1(epsilon)), 8));
}

double tc_pure_epsilon(const tacit_dp_event *e)
{
    if (e->sampling == TACIT_DP_POISSON_REPLACED)
        return tc_group_pure(e->parameter, e->sampling_rate);
    double epsilon = e->sampling == TACIT_DP_FIXED_SIZE ? 2 * e->parameter : e->parameter;
    return tc_pure_amplified(epsilon, e->sampling_rate);
}

static double fixed_size(double q, double z, double order)
{
    int low = (int)floor(order);
    double t = order - low, left = low < 2 ? 0 : tc_log_moment_fixed_size(q, z, low);
    if (t == 0)
        return left;
    double chord = (1 - t) * left + t * tc_log_moment_fixed_size(q, z, low + 1);
    return fmin(tc_up(chord, 4), tc_up(2 * order * (order - 1) / (z * z), 4));
}

static double gaussian(const tacit_dp_event *e, double order)
{
    double q = e->sampling_rate, z = e->parameter;
    if (e->sampling == TACIT_DP_POISSON_REPLACED)
        return tc_group_rdp(q, z, order);
    if (e->sampling == TACIT_DP_FIXED_SIZE)
        return tc_up(fixed_size(q, z, order) / (order - 1), 4);
    if (q == 1)
        return tc_up(order / (2 * z * z), 4);
    double log_moment = order == floor(order) ? tc_log_moment_integer(q, z, (int)order)
                                              : tc_log_moment_fractional(q, z, order);
    return tc_up(log_moment / (order - 1), 4);
}

double tc_rdp_of(const tacit_dp_event *e, double order)
{
    switch (e->mechanism) {
    case TACIT_DP_GAUSSIAN:
        return gaussian(e, order);
    case TACIT_DP_LAPLACE:
        if (e->sampling == TACIT_DP_ALL)
            return tc_rdp_laplace(e->parameter, order);
        return tc_rdp_pure(tc_pure_epsilon(e), order);
    case TACIT_DP_PURE:
        return tc_rdp_pure(tc_pure_epsilon(e), order);
    case TACIT_DP_RENYI: /* divergences grow with the order; above, nothing is known */
        return order <= tc_dp_event_order(e) ? e->parameter : INFINITY;
    case TACIT_DP_NONPRIVATE:
        break;
    }
    return INFINITY;
}

/* ln(1 - 1/a) - ln(a delta)/(a-1): what the conversion adds to the RDP. */
static double conversion(double order, double delta, double *units)
{
    double left = log1p(-1 / order), right = -(log(order) + log(delta)) / (order - 1);
    *units = 8 * DBL_EPSILON * (fabs(left) + (log(order) - log(delta)) / (order - 1));
    return left + right;
}

double tc_rdp_epsilon(double rdp, double order, double delta)
{
    double units, added = conversion(order, delta, &units);
    return fmax(rdp + added + units + 2 * DBL_EPSILON * rdp, 0);
}

double tc_rdp_allowed(double epsilon, double order, double delta)
{
    double units, added = conversion(order, delta, &units);
    return epsilon - added - units - 4 * DBL_EPSILON * epsilon;
}
