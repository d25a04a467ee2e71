/* prune.h - should a running trial be ended early, by its intermediate values and those of the others?
 *
 * A rule is a pure function of the journal as it is folded: whoever has the same events gets the same answer. Reports of all workers
 * of a study count. Called by study/ and coord/, after the report that is judged was stored. */
#ifndef TC_ALGO_PRUNE_H
#define TC_ALGO_PRUNE_H

#include "algo/optimizer.h"

typedef enum tc_prune_rule {
    TC_PRUNE_NONE,
    /* The best value that the trial has had so far is worse than the median of what the COMPLETE trials had at its step
     * (the last report at it or before it). Golovin et al., "Google Vizier" (KDD 2017), section 3.2.1; with the best
     * value, as others do, since curves may be noisy. */
    TC_PRUNE_MEDIAN,
    /* At the steps min_step * factor^k the trial is not among the best 1/factor (and not the best) of all that have come so
     * far, itself included. Li et al., "A System for Massively Parallel Hyperparameter Tuning" (MLSys 2020), in the form in which
     * trials are stopped and never paused. */
    TC_PRUNE_ASHA
} tc_prune_rule;

enum {
    TC_PRUNE_MEDIAN_TRIALS = 5,
    TC_PRUNE_FACTOR = 3,
    TC_PRUNE_FACTOR_MOST = 1000,
    TC_PRUNE_MIN_STEP = 1
};

typedef struct tc_prune {
    tc_prune_rule rule;
    uint64_t warmup; /* no trial is ended at a step below it */
    uint64_t
        min_trials; /* that must be compared with; MEDIAN: others, ASHA: with the trial itself. 0: the default */
    uint64_t min_step; /* ASHA: where trials are compared first; 0: the default */
    uint64_t factor;   /* ASHA; 0: the default */
} tc_prune;

/* Zeros become defaults. E_ARG: the first number that cannot be, and what is allowed; or one that the rule does not
 * have. */
tacit_status tc_prune_settle(tc_prune *p, tacit_error *err);

/* Intermediate values, in the order in which they were made. Who sends them sends so many at once. */
typedef struct tc_steps {
    const tc_step *list;
    size_t n;
    double noise_sd; /* of what was added to each value on purpose; 0: nothing */
} tc_steps;
enum { TC_STEPS_AT_ONCE = 1000 };

typedef struct tc_verdict {
    bool stop;
    uint64_t step; /* of the trial's last report ... */
    double value;  /* ... and its value */
    double
        bound; /* what the trial had to reach: the median, or the last of the best; NaN: nothing was compared */
    uint64_t compared; /* with so many trials; ASHA: the trial itself included */
} tc_verdict;

/* By a settled rule. A trial that has reported nothing goes on. E_NOT_FOUND: there is no such trial. */
tacit_status tc_prune_judge(const tc_optimizer *o, uint64_t trial, const tc_prune *p,
                            tc_verdict *out, tacit_error *err);

#endif
