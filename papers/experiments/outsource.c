/* outsource.c - a release and questions about it. See outsource.h. */
#include "papers/experiments/outsource.h"

#include "algo/outsourced/transform.h"
#include "base/error.h"
#include "base/memory.h"
#include "objective/objective.h"
#include "sim/curated.h"

#include <math.h>

static tacit_status open_objective(const tc_outsource_task *t, tc_objective **out, tacit_error *err)
{
    tc_objective_opts opts = {0};
    tacit_status status = tc_words_read(tc_objective_options, &opts, t->objective, t->words, err);
    if (status == TACIT_OK)
        status = tc_objective_new(out, t->objective, &opts, tc_public_seed_from(1), err);
    tc_options_fini(tc_objective_options, &opts);
    return status;
}

/* Rows, columns and bounds from the objective's candidates. */
static tacit_status take_columns(const tc_outsource_task *t, tc_row_terms *terms, tc_arena *memory,
                                 tacit_error *err)
{
    tc_objective *o;
    TC_TRY(open_objective(t, &o, err));
    tacit_status status = tc_curated_terms(terms, o, t->unit, memory, err);
    tc_objective_free(o);
    return status;
}

tacit_status tc_outsource(const tc_arm_run *c, const tc_outsource_task *t, double *curve,
                          tacit_error *err)
{
    bool paper = c->arm->mode == TC_ARM_PAPER, released = t->epsilon > 0;
    tc_arena memory = {0};
    tc_row_terms terms = {.name = "rows",
                          .mode = paper ? TACIT_ROW_PAPER : TACIT_ROW_SOUND,
                          .epsilon = t->epsilon,
                          .delta = paper ? t->delta : 0,
                          .radius = 1,
                          .rank = paper ? t->rank : 0};
    tc_single_task task = {.objective = t->objective,
                           .words = t->words,
                           .options = t->options,
                           .curated = released ? &terms : NULL,
                           .trials = t->questions};
    tacit_status status = released ? take_columns(t, &terms, &memory, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = tc_drive_single(c, &task, curve, err);
    tc_arena_fini(&memory);
    return status;
}

/* ---- where the branch lies */

static tacit_status find_sigma(const tc_domain *d, double unit, double *sigma, tacit_error *err)
{
    tc_transform seen;
    double *x = tc_alloc(d->n * d->dim, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    for (size_t i = 0; i < d->n; i++)
        for (size_t k = 0; k < d->dim; k++)
            x[i * d->dim + k] = d->raw[i + k * d->n] / unit;
    tacit_status status = tc_transform_look(&seen, d->n, d->dim, x, 1, 0.5, 1, err);
    tc_free(x);
    if (status == TACIT_OK)
        *sigma = seen.sigma_min;
    return status;
}

/* omega is its value at epsilon = 1 over epsilon. */
tacit_status tc_outsource_branch(const tc_outsource_task *t, size_t last, size_t next,
                                 double *epsilon, tacit_error *err)
{
    tc_objective *o;
    double sigma = 0;
    TC_TRY(open_objective(t, &o, err));
    const tc_domain *d = tc_objective_space(o)->domain;
    tacit_status status = d ? find_sigma(d, t->unit, &sigma, err)
                            : tc_fail(err, TACIT_E_ARG, "%s has no rows", t->objective);
    tc_objective_free(o);
    TC_TRY(status);
    *epsilon =
        sqrt(tc_transform_omega(1, t->delta, last) * tc_transform_omega(1, t->delta, next)) / sigma;
    return TACIT_OK;
}

/* ---- rows of Fig. 2a and of Branin */

static const double large = 1.1, middle = 0.9, small = 0;
const tc_arm tc_outsource_arms[TC_OUTSOURCE_ARMS] = {
    {"non-private", "GP-UCB, non-private", TC_ARM_BOTH, "po-gp-ucb"},
    {"e1.1-paper", "epsilon = e^1.1", TC_ARM_PAPER, "po-gp-ucb", .set = &large},
    {"e1.1-rows", "epsilon = e^1.1", TC_ARM_DEFAULT, "po-gp-ucb", .set = &large},
    {"e0.9-paper", "epsilon = e^0.9", TC_ARM_PAPER, "po-gp-ucb", .set = &middle},
    {"e0.9-rows", "epsilon = e^0.9", TC_ARM_DEFAULT, "po-gp-ucb", .set = &middle},
    {"e0-paper", "epsilon = 1", TC_ARM_PAPER, "po-gp-ucb", .set = &small},
    {"e0-rows", "epsilon = 1", TC_ARM_DEFAULT, "po-gp-ucb", .set = &small},
};

double tc_outsource_epsilon(const tc_arm *arm)
{
    const double *logarithm = arm->set;
    return logarithm ? exp(*logarithm) : 0;
}

const size_t tc_outsource_shown[3] = {9, 24, TC_OUTSOURCE_QUESTIONS - 1};
