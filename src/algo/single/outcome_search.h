/* outcome_search.h - gp-ei for studies with several objectives or outcome constraints.
 *
 * The logarithm of the expected improvement (one objective) or of the expected hypervolume improvement (several), plus that of
 * the probability that the constraints hold. While no point that was tried is feasible, the probability alone. */
#ifndef TC_ALGO_SINGLE_OUTCOME_SEARCH_H
#define TC_ALGO_SINGLE_OUTCOME_SEARCH_H

#include "algo/single/acquire.h"
#include "algo/single/outcome_front.h"
#include "algo/single/outcome_models.h"

typedef struct tc_outcome_search {
    tc_outcome_models models;
    tc_acquirer acquirer; /* spaces that are not finite */
    /* Of the present ask: */
    bool feasible;          /* some point that was tried is */
    double best;            /* one objective: the incumbent */
    tc_outcome_front front; /* several */
    double *noise;          /* of the next value of each outcome, where it is known */
    double *merit;          /* of each observation, for the acquirer */
    double *mean, *var;     /* of candidates: n_models x candidates, a row for each model */
    double *scratch;        /* one slot for each start */
    size_t merit_cap, mean_cap, var_cap, scratch_cap, slot_size;
    tc_arena arena;
} tc_outcome_search;

/* env->outcomes is given. */
tacit_status tc_outcome_search_new(tc_outcome_search **out, const tc_env *env,
                                   const tc_model_opts *opts, int search, tacit_error *err);
void tc_outcome_search_free(tc_outcome_search *s);

/* As members of the contract. */
tacit_status tc_outcome_search_ask(tc_outcome_search *s, uint64_t trial, double *values,
                                   tacit_error *err);
tacit_status tc_outcome_search_recommend(tc_outcome_search *s, tc_recommended *out,
                                         tacit_error *err);

#endif
