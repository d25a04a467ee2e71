/* tuning.c - the objective "tuning": the validation loss of a model that is tuned, with parameters of every type.
 *
 * Of each of three methods the loss has one valley along the learning rate (in its logarithm) and the depth, narrower
 * along the first; methods differ in where it lies and how deep it is. The fourth parameter does nothing. Invented
 * here, to try optimisers on what people tune: log and int and choice parameters of unequal relevance. Called
 * through objective.c alone. */
#include "objective/objective_int.h"

#include <math.h>

enum { RATE, DEPTH, METHOD, DROPOUT, PARAMETERS };
enum { METHODS = 3, DEPTH_LOW = 1, DEPTH_HIGH = 12 };

#define RATE_LOW  1e-4
#define RATE_HIGH 1.0

static tacit_status add_parameters(tc_space *s, tacit_error *err)
{
    static const char *const methods[METHODS] = {"forest", "boosting", "network"};
    tacit_status status = tc_space_add_float(s, "rate", RATE_LOW, RATE_HIGH, 0, true, err);
    if (status == TACIT_OK)
        status = tc_space_add_int(s, "depth", DEPTH_LOW, DEPTH_HIGH, 1, false, err);
    if (status == TACIT_OK)
        status = tc_space_add_choice(s, "method", METHODS, methods, err);
    if (status == TACIT_OK)
        status = tc_space_add_float(s, "dropout", 0, 1, 0, false, err);
    return status;
}

static void coordinates(const double *values, double *x)
{
    x[RATE] = log(values[RATE] / RATE_LOW) / log(RATE_HIGH / RATE_LOW);
    x[DEPTH] = (values[DEPTH] - DEPTH_LOW) / (DEPTH_HIGH - DEPTH_LOW);
    x[METHOD] = values[METHOD] / (METHODS - 1);
    x[DROPOUT] = values[DROPOUT];
}

/* level + 1 - exp(-12 (rate - r)^2 - 4 (depth - d)^2): at least the level, at most one more. */
static double tuning(size_t dim, const double *x)
{
    static const struct {
        double level, rate, depth;
    } valley[METHODS] = {{0.25, 0.75, 3.0 / 11}, {0, 0.6, 5.0 / 11}, {0.1, 0.4, 8.0 / 11}};
    (void)dim;
    const size_t k = (size_t)lround(x[METHOD] * (METHODS - 1));
    const double r = x[RATE] - valley[k].rate, d = x[DEPTH] - valley[k].depth;
    return valley[k].level + 1 - exp(-12 * r * r - 4 * d * d);
}

static const double optimiser[PARAMETERS] = {0.6, 5.0 / 11, 0.5, 0.5};
static const bool whole[PARAMETERS] = {[DEPTH] = true, [METHOD] = true};

const tc_objective_kind tc_objective_tuning = {
    .info = {.name = "tuning",
             .summary = "log, int, choice and an idle parameter, as in tuning a model, minimised",
             .source = "tacit's own"},
    .maximize = false,
    .dim = PARAMETERS,
    .max_dim = PARAMETERS,
    .low = {0, 0},
    .high = {1, 1},
    .optimum = 0,
    .optimiser = optimiser,
    .value = tuning,
    .add_parameters = add_parameters,
    .coordinates = coordinates,
    .whole = whole,
};
