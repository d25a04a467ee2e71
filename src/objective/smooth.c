/* smooth.c - classical smooth test functions: branin, hartmann6, himmelblau; the first two also where a linear constraint
 * cuts off their minima.
 *
 * Branin and Hartmann-6 as in Dixon and Szego, Towards Global Optimisation 2 (1978), minimised.
 * Himmelblau (Applied Nonlinear Programming, 1972) in PyXAB's normalised form, plus 1: maximised,
 * with values in [0, 1]. Called through objective.c alone. */
#include "objective/objective_int.h"

#include <math.h>

/* (x2 - b x1^2 + c x1 - 6)^2 + 10 (1 - t) cos x1 + 10; three minimisers of value 10 t. */
static double branin(size_t dim, const double *x)
{
    (void)dim;
    const double b = 5.1 / (4 * M_PI * M_PI), c = 5 / M_PI, t = 1 / (8 * M_PI);
    double q = x[1] - b * x[0] * x[0] + c * x[0] - 6;
    return q * q + 10 * (1 - t) * cos(x[0]) + 10;
}

static const double branin_optimiser[] = {M_PI, 2.275};

const tc_objective_kind tc_objective_branin = {
    .info = {.name = "branin",
             .summary = "smooth, three equal minima, minimised",
             .source = "Dixon and Szego 1978"},
    .maximize = false,
    .dim = 2,
    .max_dim = 2,
    .low = {-5, 0},
    .high = {10, 15},
    .optimum = 0.39788735772973816,
    .optimiser = branin_optimiser,
    .value = branin,
};

/* On the border: the minimum of a function of one variable, found with 40 digits. The inside has no minimum. */
static const double branin_linear_optimiser[] = {3.1018859028680016, 1.3981140971319984};

const tc_objective_kind tc_objective_branin_linear = {
    .info = {.name = "branin-linear",
             .summary = "branin where x1 + x2 <= 4.5, a fifth of its space, minimised",
             .source = "tacit's own, over Dixon and Szego 1978"},
    .maximize = false,
    .dim = 2,
    .max_dim = 2,
    .low = {-5, 0},
    .high = {10, 15},
    .optimum = 1.2300201784626555,
    .optimiser = branin_linear_optimiser,
    .value = branin,
    .linear = "x1 + x2 <= 4.5",
};

/* - sum_i c_i exp(- sum_j A_ij (x_j - P_ij)^2) */
static double hartmann6(size_t dim, const double *x)
{
    static const double c[4] = {1.0, 1.2, 3.0, 3.2};
    static const double A[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                   {0.05, 10, 17, 0.1, 8, 14},
                                   {3, 3.5, 1.7, 10, 17, 8},
                                   {17, 8, 0.05, 10, 0.1, 14}};
    static const double P[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                   {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                   {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                   {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        double r2 = 0;
        for (size_t j = 0; j < dim; j++)
            r2 += A[i][j] * (x[j] - P[i][j]) * (x[j] - P[i][j]);
        sum -= c[i] * exp(-r2);
    }
    return sum;
}

static const double hartmann6_optimiser[] = {0.20168951100670549, 0.15001069182345797,
                                             0.4768739742218969,  0.2753324304940561,
                                             0.31165161660011326, 0.6573005340656204};

const tc_objective_kind tc_objective_hartmann6 = {
    .info = {.name = "hartmann6",
             .summary = "smooth, six local minima in 6 dimensions, minimised",
             .source = "Dixon and Szego 1978"},
    .maximize = false,
    .dim = 6,
    .max_dim = 6,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = -3.3223680114155147,
    .optimiser = hartmann6_optimiser,
    .value = hartmann6,
};

/* On the border, where the gradient is along its normal: found with 40 digits. */
static const double hartmann6_linear_optimiser[] = {0.10851374683985421, 0.037957272584255234,
                                                    0.20577105017171368, 0.24803683223608201,
                                                    0.28334212207998738, 0.61637897608810749};

const tc_objective_kind tc_objective_hartmann6_linear = {
    .info =
        {.name = "hartmann6-linear",
         .summary =
             "hartmann6 where its coordinates sum to 1.5 at most, a 63rd of its space, minimised",
         .source = "tacit's own, over Dixon and Szego 1978"},
    .maximize = false,
    .dim = 6,
    .max_dim = 6,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = -2.5951082936985171,
    .optimiser = hartmann6_linear_optimiser,
    .value = hartmann6,
    .linear = "x1 + x2 + x3 + x4 + x5 + x6 <= 1.5",
};

/* 1 - ((x1^2 + x2 - 11)^2 + (x1 + x2^2 - 7)^2) / 890; 890 is reached at (5, 5). */
static double himmelblau(size_t dim, const double *x)
{
    (void)dim;
    double p = x[0] * x[0] + x[1] - 11, q = x[0] + x[1] * x[1] - 7;
    return 1 - (p * p + q * q) / 890;
}

static const double himmelblau_optimiser[] = {3, 2};

const tc_objective_kind tc_objective_himmelblau = {
    .info = {.name = "himmelblau",
             .summary = "smooth, four equal maxima, values in [0, 1]",
             .source = "PyXAB's Himmelblau_Normalized, plus 1"},
    .maximize = true,
    .dim = 2,
    .max_dim = 2,
    .low = {-5, -5},
    .high = {5, 5},
    .optimum = 1,
    .optimiser = himmelblau_optimiser,
    .value = himmelblau,
};
