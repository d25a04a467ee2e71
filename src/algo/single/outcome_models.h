/* outcome_models.h - a model (model.h) for each outcome of a study that has several: the objectives, then what constraints
 * bound.
 *
 * Outcomes are taken for independent: each has hyper-parameters of its own, and one FIT event holds them all. The first model
 * is over the history itself; every other one over a view of it, with the same points and other values. */
#ifndef TC_ALGO_SINGLE_OUTCOME_MODELS_H
#define TC_ALGO_SINGLE_OUTCOME_MODELS_H

#include "algo/single/model.h"

typedef struct tc_outcome_models {
    const tc_env *env;
    size_t n, n_objectives; /* n: with constraints */
    tc_model *model;        /* n */
    /* Of each: what its model has for env and history, and the values there, as many as there is room for. */
    tc_env *envs;
    tc_history *views;
    size_t room;
    double *
        sign; /* n: -1 where a value has only an upper bound, so that far off is low for every model */
    double *low, *high; /* n: of constraints, in units of z after a sync (tc_outcome_models_sync) */
    bool *noisy; /* n: a value that was told is not taken for the outcome itself; after look */
    double *mean,
        *var; /* n x history->n, a row for each outcome: the models at the observed points */
    size_t mean_cap, var_cap;
    tc_arena arena;
} tc_outcome_models;

/* env->outcomes is given. */
tacit_status tc_outcome_models_init(tc_outcome_models *o, const tc_env *env,
                                    const tc_model_opts *opts, tacit_error *err);
void tc_outcome_models_fini(tc_outcome_models *o);

/* Brings all up to the history, with bounds; and then also mean and var. */
tacit_status tc_outcome_models_sync(tc_outcome_models *o, tacit_error *err);
tacit_status tc_outcome_models_look(tc_outcome_models *o, tacit_error *err);
/* tc_model_believe and tc_model_forget of each. */
tacit_status tc_outcome_models_believe(tc_outcome_models *o, tacit_error *err);
void tc_outcome_models_forget(tc_outcome_models *o);

/* By how much observation i is outside of all bounds together, in units of z; 0: it is feasible. As it was told, and by the
 * mean of the model where the outcome is noisy. After look. */
double tc_outcome_models_violation(const tc_outcome_models *o, size_t i);

/* The fit members of the contract: {"fits":[..]}, each as in model_fit.c. */
bool tc_outcome_models_fit_due(const tc_outcome_models *o);
tacit_status tc_outcome_models_fit(tc_outcome_models *o, tc_text *out, tacit_error *err);
tacit_status tc_outcome_models_fitted(tc_outcome_models *o, const char *body, tacit_error *err);

#endif
