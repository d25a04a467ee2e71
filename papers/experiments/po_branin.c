/* po_branin.c - PO-GP-UCB on the Branin function [Kharkovskii, Dai, Low 2020, Appendix A].
 *
 * The paper says that there is such an experiment and has no table of it; its rows, r and epsilons are
 * not known. Here: 50 x 50 points of the usual domain, centred, the largest norm 25, values of standard
 * deviation 1, T = 50, and the r and the epsilons of Fig. 2a. The modeler learns its constants from what
 * it is shown. */
#include "base/error.h"
#include "base/memory.h"
#include "papers/data/dataset.h"
#include "papers/experiments/outsource.h"

#include <math.h>

enum { SIDE = 50, QUICK_SIDE = 20 };

/* ---- rows */

static double branin(double x1, double x2)
{
    const double pi = 3.14159265358979323846;
    double u = x2 - 5.1 / (4 * pi * pi) * x1 * x1 + 5 / pi * x1 - 6;
    return u * u + 10 * (1 - 1 / (8 * pi)) * cos(x1) + 10;
}

/* Mean 0 and standard deviation 1. */
static void standardise(double *y, size_t n)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (y[i] - mean) * (y[i] - mean) / (double)n;
    for (size_t i = 0; i < n; i++)
        y[i] = (y[i] - mean) / sqrt(square);
}

/* Both sides of the domain are 15 long: a square, and its corners are farthest from the centre. */
static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    size_t side = *(const size_t *)user;
    double y[SIDE * SIDE], half = 25 / sqrt(2);
    for (size_t i = 0; i < side * side; i++)
        y[i] = branin(-5 + 15 * (double)(i / side) / (double)(side - 1),
                      15 * (double)(i % side) / (double)(side - 1));
    standardise(y, side * side);
    tc_text_add(out, "x1,x2,value\n");
    for (size_t i = 0; i < side * side; i++)
        tc_text_addf(out, "%.9g,%.9g,%.9g\n",
                     half * (2 * (double)(i / side) / (double)(side - 1) - 1),
                     half * (2 * (double)(i % side) / (double)(side - 1) - 1), y[i]);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status prepare(const tc_setup *s, void **out, tacit_error *err)
{
    size_t side = s->quick ? QUICK_SIDE : SIDE;
    tc_text key = {0};
    char *objective;
    tc_text_addf(&key, "branin 1 %zu", side);
    TC_TRY(tc_cache_table(s, "branin", &key, make, &side, &objective, err));
    *out = objective;
    return TACIT_OK;
}

/* ---- cells */

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    tc_outsource_task t = {.objective = c->prepared,
                           .words = "table-goal=minimize",
                           .unit = 1,
                           .epsilon = tc_outsource_epsilon(c->arm),
                           .delta = 1e-4,
                           .rank = TC_OUTSOURCE_RANK,
                           .questions = TC_OUTSOURCE_QUESTIONS};
    return tc_outsource(c, &t, c->y, err);
}

static const tc_statement says[] = {
    TC_OUTSOURCE_COSTS, TC_OUTSOURCE_ROWS("e0", "epsilon = 1"), {NULL}};

const tc_experiment tc_experiment_po_branin = {
    .name = "po-branin",
    .figure = "Appendix A (Branin)",
    .claim = "the observations of the other data sets hold on Branin",
    .setting = "50 x 50 rows, r = 10, T = 50, delta = 1e-4; paper mode is NOT PRIVATE",
    .stand_in = "rows, r and epsilons of this experiment are not known to us",
    .version = 1,
    .runs = 100,
    .quick_runs = 2,
    .seconds = 2,
    .quick_seconds = 0.5,
    TC_OUTSOURCE_CURVES,
    .y_label = "simple regret (sd of the values)",
    .prepare = prepare,
    .finish = tc_free,
    .run = run,
    .statements = says,
};
