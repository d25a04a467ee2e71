/* mechanism.c - public bounds and scales, for the files of single mechanisms.
 *
 * Scales go from real numbers to integers here. Sensitivities are rounded up, epsilons down, so
 * that sensitivity / scale never exceeds the epsilon that the release claims.
 *
 * Discrete Laplace noise beside the event TACIT_DP_LAPLACE, which is continuous. Of noise of t steps
 * and a move by D steps, the best tests reject from some k in 1..D on; with a = e^(-1/t) they err
 * with probabilities a^k / (1+a) and a^(D-k+1) / (1+a). Their product is
 *     e^(-D/t) a / (1+a)^2 = e^(-D/t) / (4 cosh^2(1/2t)) >= e^(-D/t - 1/(4t^2)) / 4,
 * since cosh u <= e^(u^2/2): less than the e^(-D/t)/4 of continuous noise, so discrete noise of
 * the same scale is easier to see through. The trade-off curve of the event epsilon is the
 * hyperbola alpha beta = e^(-epsilon)/4 and two of its tangents, convex, and nowhere above that
 * hyperbola. With D/t + 1/(4t^2) <= epsilon it is not above the corners of the discrete curve,
 * which is straight between them (and between them and (0,1), (1,0)): not above any of it. Then
 * whatever any accountant proves of the event holds for the release, compositions included.
 *
 * A move of D steps in n coordinates together is made one coordinate after the other; since moves
 * of one log-concave noise add up, events epsilon_1, epsilon_2 in a row are no worse than the event
 * epsilon_1 + epsilon_2. So the condition is D/t + n/(4t^2) <= epsilon, and tc_laplace_scale
 * satisfies it: from t >= D/epsilon, m more steps with m >= n/(4 epsilon t) are enough, because
 *     D (t+m) + n/4 <= epsilon t (t+m) + epsilon m t <= epsilon (t+m)^2. */
#include "privacy/mechanism_int.h"

#include "base/error.h"
#include "privacy/sampler.h"

#include <math.h>
#include <stdio.h>

enum { EPSILON_BITS = 50, LAPLACE_BITS = 30, VALUE_BITS = 60, GRID_LIMIT = 1000 };

/* A double is only where to begin: below 2^52 it is within one of the root, above it Newton's step
 * brings it there. Integers decide. */
uint64_t tc_root_up(tc_wide x)
{
    const double largest = 0x1.fffffffffffffp63;
    if (x >> 64 >= UINT64_MAX - 1)
        return UINT64_MAX;
    uint64_t root = (uint64_t)fmin(sqrt((double)x), largest);
    if (root >> 52 != 0)
        root = (uint64_t)((root + x / root) / 2);
    while ((tc_wide)root * root < x)
        root++;
    while (root > 0 && (tc_wide)(root - 1) * (root - 1) >= x)
        root--;
    return root;
}

tacit_status tc_bounds_check(tc_bounds b, size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (!(isfinite(b.low[i]) && isfinite(b.high[i] - b.low[i]) && b.low[i] < b.high[i]))
            return tc_fail(err, TACIT_E_ARG,
                           "bounds of coordinate %zu must be finite with low < high, got [%g, %g]",
                           i, b.low[i], b.high[i]);
    return TACIT_OK;
}

double tc_bounds_clamp(double x, double low, double high)
{
    if (!isfinite(x))
        return low + (high - low) / 2;
    return fmin(fmax(x, low), high);
}

double tc_bounds_reach(tc_bounds b, size_t n)
{
    double reach = 0;
    for (size_t i = 0; i < n; i++)
        reach = fmax(reach, fmax(fabs(b.low[i]), fabs(b.high[i])));
    return reach;
}

tacit_status tc_epsilon_check(double epsilon, double max, tacit_error *err)
{
    if (epsilon >= 1e-5 && epsilon <= max)
        return TACIT_OK;
    char range[64];
    snprintf(range, sizeof range, "[1e-05, %g]", max);
    return tc_fail_range(err, "epsilon", range, epsilon);
}

static tc_wide quotient_up(tc_wide a, tc_wide b)
{
    return (a + b - 1) / b;
}

uint64_t tc_laplace_scale(uint64_t delta, size_t n, double epsilon)
{
    uint64_t rounded_down = (uint64_t)ldexp(epsilon, EPSILON_BITS);
    tc_wide t = quotient_up((tc_wide)delta << EPSILON_BITS, rounded_down);
    return (uint64_t)(t + quotient_up((tc_wide)n << (EPSILON_BITS - 2), rounded_down * t));
}

tacit_status tc_grid_choose(double sd, int bits, double reach, int *grid, tacit_error *err)
{
    if (!(sd > 0 && isfinite(sd)))
        return tc_fail(err, TACIT_E_ARG, "noise of size %g is not possible", sd);
    int g = bits - ilogb(sd);
    if (abs(g) > GRID_LIMIT)
        return tc_fail(err, TACIT_E_ARG, "noise of size %g is beyond 2^+-%d", sd, GRID_LIMIT);
    if (ldexp(reach, g) >= ldexp(1, VALUE_BITS))
        return tc_fail(err, TACIT_E_ARG,
                       "bounds of size %g are more than 2^%d times the noise, which is %g", reach,
                       VALUE_BITS - bits, sd);
    *grid = g;
    return TACIT_OK;
}

int64_t tc_grid_nearest(double x, int grid)
{
    return (int64_t)round(ldexp(x, grid));
}

tacit_status tc_laplace_grid_for(double l1, size_t n, double epsilon, double reach,
                                 tc_laplace_grid *out, tacit_error *err)
{
    int grid = 0;
    TC_TRY(tc_grid_choose(l1 / epsilon, LAPLACE_BITS, reach, &grid, err));
    uint64_t delta = (uint64_t)floor(ldexp(l1, grid) * TC_ROUND_UP) + n;
    uint64_t scale = tc_laplace_scale(delta, n, epsilon);
    if (scale > TC_SAMPLER_MAX_SCALE)
        return tc_fail(err, TACIT_E_ARG, "%zu coordinates are too many for epsilon %g", n, epsilon);
    *out = (tc_laplace_grid){.grid = grid, .delta = delta, .scale = scale};
    return TACIT_OK;
}
