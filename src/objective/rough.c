/* rough.c - functions with many local optima or a cusp: ackley, rastrigin, garland, doublesine.
 *
 * The normalised forms of PyXAB (the objectives of the X-armed bandit papers), all maximised. Those
 * whose maximum is 0 there have 1 added; nothing is clipped. Ackley, given there for two
 * coordinates, is written with means over the coordinates, which is the same for two. Called
 * through objective.c alone. */
#include "objective/objective_int.h"

#include <math.h>

/* Values in [0.0627, 1]. The divisor is PyXAB's constant. */
static double ackley(size_t dim, const double *x)
{
    double squares = 0, cosines = 0, n = (double)dim;
    for (size_t d = 0; d < dim; d++) {
        squares += x[d] * x[d];
        cosines += cos(2 * M_PI * x[d]);
    }
    double bowl = 20 * (exp(-0.2 * sqrt(squares / n)) - 1);
    double ripple = exp(cosines / n) - M_E;
    double divisor = 20 + M_E - 20 * exp(-0.2 * M_SQRT1_2) - exp(-1);
    return 1 + (bowl + ripple) / divisor;
}

const tc_objective_kind tc_objective_ackley = {
    .info = {.name = "ackley",
             .summary = "ripples on a cone, any dimension, values in [0.06, 1]",
             .source = "PyXAB's Ackley_Normalized, plus 1"},
    .maximize = true,
    .dim = 2,
    .max_dim = TC_OBJECTIVE_DIM,
    .low = {-1, -1},
    .high = {1, 1},
    .optimum = 1,
    .value = ackley,
};

/* 1 - mean(10 + x^2 - 10 cos(2 pi x)) / 20: values in [-0.0126, 1], below 0 near half-integers. */
static double rastrigin(size_t dim, const double *x)
{
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += 10 + x[d] * x[d] - 10 * cos(2 * M_PI * x[d]);
    return 1 - sum / (20 * (double)dim);
}

const tc_objective_kind tc_objective_rastrigin = {
    .info = {.name = "rastrigin",
             .summary = "regular local maxima, any dimension, values in [-0.013, 1]",
             .source = "PyXAB's Rastrigin_Normalized, plus 1"},
    .maximize = true,
    .dim = 2,
    .max_dim = TC_OBJECTIVE_DIM,
    .low = {-1, -1},
    .high = {1, 1},
    .optimum = 1,
    .value = rastrigin,
};

/* x (1 - x) (4 - sqrt|sin 60x|). Its cusps lie on the parabola 4x(1 - x) where sin 60x = 0; the one
 * nearest to 1/2 is x = 10 pi / 60, so the supremum is 4 (pi/6) (1 - pi/6), not 1. */
static double garland(size_t dim, const double *x)
{
    (void)dim;
    return x[0] * (1 - x[0]) * (4 - sqrt(fabs(sin(60 * x[0]))));
}

static const double garland_optimiser[] = {M_PI / 6};

const tc_objective_kind tc_objective_garland = {
    .info = {.name = "garland",
             .summary = "1-D, many cusps of nearly equal height, values in [0, 0.998]",
             .source = "PyXAB's Garland, with its true supremum"},
    .maximize = true,
    .dim = 1,
    .max_dim = 1,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = 4 * (M_PI / 6) * (1 - M_PI / 6),
    .optimiser = garland_optimiser,
    .value = garland,
};

/* With u = 2|x - 1/2|: 1 + s(log2(u) / 2) (u^e2 - u^e1) - u^e2, s(y) = (sin(2 pi y) + 1) / 2. It
 * swings between the envelopes 1 - u^e2 and 1 - u^e1, ever faster towards u = 0. */
static double doublesine(size_t dim, const double *x)
{
    (void)dim;
    double u = 2 * fabs(x[0] - 0.5);
    if (u == 0)
        return 1;
    const double e1 = -log2(0.3), e2 = -log2(0.8);
    double swing = (sin(M_PI * log2(u)) + 1) / 2;
    return 1 + swing * (pow(u, e2) - pow(u, e1)) - pow(u, e2);
}

static const double doublesine_optimiser[] = {0.5};

const tc_objective_kind tc_objective_doublesine = {
    .info = {.name = "doublesine",
             .summary = "1-D, oscillates ever faster towards its maximum, values in [0, 1]",
             .source = "PyXAB's DoubleSine, plus 1"},
    .maximize = true,
    .dim = 1,
    .max_dim = 1,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = 1,
    .optimiser = doublesine_optimiser,
    .value = doublesine,
};
