/* pipeline.c - the objective "pipeline": the validation loss where the model is a choice, and each model has parameters
 * of its own.
 *
 * Of each of two models the loss has one valley along its own parameters; those of the other one do nothing. The
 * svm's is deeper and narrower. "scale" concerns both, a little. Invented here, to try optimisers on spaces with
 * conditions, numeric and ordered choices and a bool. Called through objective.c alone. */
#include "objective/objective_int.h"

#include "base/error.h"

#include <math.h>

enum { MODEL, C, GAMMA, DEPTH, FEATURES, BINS, SCALE, PARAMETERS };
enum { DEPTH_LOW = 1, DEPTH_HIGH = 16, ALL_BINS = 4 };

#define C_LOW      1e-3
#define C_HIGH     1e3
#define GAMMA_LOW  1e-4
#define GAMMA_HIGH 10.0
#define LEAST_PART 0.1 /* of the features */

static tacit_status add_numbers(tc_space *s, tacit_error *err)
{
    static const char *const models[] = {"svm", "forest"};
    static const double bins[ALL_BINS] = {16, 32, 64, 128};
    TC_TRY(tc_space_add_choice(s, "model", 2, models, err));
    TC_TRY(tc_space_add_float(s, "C", C_LOW, C_HIGH, 0, true, err));
    TC_TRY(tc_space_add_float(s, "gamma", GAMMA_LOW, GAMMA_HIGH, 0, true, err));
    TC_TRY(tc_space_add_int(s, "depth", DEPTH_LOW, DEPTH_HIGH, 1, false, err));
    TC_TRY(tc_space_add_float(s, "features", LEAST_PART, 1, 0, false, err));
    TC_TRY(tc_space_add_numbers(s, "bins", ALL_BINS, bins, err));
    TC_TRY(tc_space_set_ordered(s, "bins", err));
    return tc_space_add_bool(s, "scale", err);
}

static tacit_status add_parameters(tc_space *s, tacit_error *err)
{
    static const size_t svm = 0, forest = 1;
    static const char *const of_forest[] = {"depth", "features", "bins"};
    TC_TRY(add_numbers(s, err));
    TC_TRY(tc_space_set_when(s, "C", "model", 1, &svm, err));
    TC_TRY(tc_space_set_when(s, "gamma", "model", 1, &svm, err));
    for (size_t i = 0; i < sizeof of_forest / sizeof *of_forest; i++)
        TC_TRY(tc_space_set_when(s, of_forest[i], "model", 1, &forest, err));
    return TACIT_OK;
}

static void coordinates(const double *values, double *x)
{
    x[MODEL] = values[MODEL];
    x[C] = log(values[C] / C_LOW) / log(C_HIGH / C_LOW);
    x[GAMMA] = log(values[GAMMA] / GAMMA_LOW) / log(GAMMA_HIGH / GAMMA_LOW);
    x[DEPTH] = (values[DEPTH] - DEPTH_LOW) / (DEPTH_HIGH - DEPTH_LOW);
    x[FEATURES] = (values[FEATURES] - LEAST_PART) / (1 - LEAST_PART);
    x[BINS] = values[BINS] / (ALL_BINS - 1);
    x[SCALE] = values[SCALE];
}

/* level + 1 - exp(-sum of squares), and 0.05 more without scaling. */
static double pipeline(size_t dim, const double *x)
{
    (void)dim;
    const double idle = x[SCALE] > 0.5 ? 0 : 0.05;
    if (x[MODEL] < 0.5) {
        const double c = x[C] - 0.65, g = x[GAMMA] - 0.4;
        return idle + 1 - exp(-12 * c * c - 16 * g * g);
    }
    const double d = x[DEPTH] - 0.6, f = x[FEATURES] - 0.3, b = x[BINS] - 2.0 / 3;
    return idle + 0.1 + 1 - exp(-4 * d * d - 6 * f * f - 2 * b * b);
}

static const double optimiser[PARAMETERS] = {0, 0.65, 0.4, 0.6, 0.3, 2.0 / 3, 1};
static const bool whole[PARAMETERS] = {
    [MODEL] = true, [DEPTH] = true, [BINS] = true, [SCALE] = true};

const tc_objective_kind tc_objective_pipeline = {
    .info = {.name = "pipeline",
             .summary = "a choice of models with parameters of their own, minimised",
             .source = "tacit's own"},
    .maximize = false,
    .dim = PARAMETERS,
    .max_dim = PARAMETERS,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = 0,
    .optimiser = optimiser,
    .value = pipeline,
    .add_parameters = add_parameters,
    .coordinates = coordinates,
    .whole = whole,
};
