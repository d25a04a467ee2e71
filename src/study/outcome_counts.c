/* outcome_counts.c - how many trials of a study are feasible, and how many are on its front (study.h). */
#include "study/study.h"

#include "base/error.h"
#include "base/memory.h"

static tacit_status count_front(const tc_optimizer *o, uint64_t *out, tacit_error *err)
{
    size_t n = 0;
    uint64_t *front = tc_alloc(tc_optimizer_count(o, TC_TRIAL_COMPLETE) + 1, sizeof *front);
    tacit_status status = front ? tc_optimizer_front(o, front, &n, err) : tc_fail_memory(err);
    *out = n;
    tc_free(front);
    return status;
}

tacit_status tc_outcome_counts_of(const tc_optimizer *o, tc_outcome_counts *out, tacit_error *err)
{
    const tc_outcomes *wanted = tc_optimizer_outcomes(o);
    *out = (tc_outcome_counts){.objectives = wanted ? wanted->n_objectives : 1};
    if (!wanted || wanted->n_constraints == 0)
        out->feasible = tc_optimizer_count(o, TC_TRIAL_COMPLETE);
    else
        for (uint64_t i = 0; i < tc_optimizer_trials(o); i++)
            out->feasible += tc_optimizer_feasible(o, tc_optimizer_trial(o, i));
    return out->objectives > 1 ? count_front(o, &out->front, err) : TACIT_OK;
}
