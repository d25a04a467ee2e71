/* plan_check.c - options of a simulation that would have no effect are refused.
 *
 * A user who gives an option expects it to matter. An ignored option would make the result misleading.
 * An option counts as given also with its default. */
#include "base/error.h"
#include "sim/plan.h"

#include <string.h>

enum { NO_NOISE = 0 };        /* the first choice of --noise */
#define OWN_NOISE "gp-family" /* the one family whose observations have noise unasked (family.h) */

/* -- of objectives ------------------------------------------------------------------------- */

/* Does the objective exist? An unknown name gets its own error message. */
static bool exists(const char *objective)
{
    if (tc_value_table_named(objective))
        return true;
    for (size_t i = 0; tc_families()[i]; i++)
        if (strcmp(tc_families()[i]->name, objective) == 0)
            return true;
    for (size_t i = 0; tc_objectives()[i]; i++)
        if (strcmp(tc_objectives()[i]->name, objective) == 0)
            return true;
    return false;
}

static tacit_status check_takers(const tc_contest *a, tacit_error *err)
{
    for (const tc_option *o = tc_family_options; o->name; o++) {
        const char *who;
        if (tc_plan_given(a, o->name) && !tc_objective_takes(a->objective, o->name, &who))
            return tc_fail(err, TACIT_E_ARG, "--%s is for the objective%s %s, not for %s", o->name,
                           strchr(who, ' ') ? "s" : "", who, a->objective);
    }
    return TACIT_OK;
}

/* By pulls an objective's own law is uniform. */
static tacit_status check_noise(const tc_contest *a, tacit_error *err)
{
    int law = a->o->family.objective.noise;
    bool noisy_unasked = a->o->pulls > 0 || strcmp(a->objective, OWN_NOISE) == 0;
    if (!tc_plan_given(a, "noise-scale"))
        return TACIT_OK;
    if (law == NO_NOISE)
        return tc_fail(err, TACIT_E_ARG, "--noise-scale does not go with --noise none");
    if (law == TACIT_NOISE_OWN && !noisy_unasked)
        return tc_fail(err, TACIT_E_ARG,
                       "--noise-scale needs --noise LAW: observations of %s have no noise of their "
                       "own",
                       a->objective);
    return TACIT_OK;
}

tacit_status tc_plan_check_objective(const tc_contest *a, tacit_error *err)
{
    if (!exists(a->objective))
        return TACIT_OK;
    TC_TRY(check_takers(a, err));
    if (tc_plan_given(a, "heterogeneity") && a->o->family.distance > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--heterogeneity does not go with --distance: each says how much agents "
                       "differ");
    return check_noise(a, err);
}

/* -- of promises --------------------------------------------------------------------------- */

bool tc_plan_charges(const tc_algorithm *a)
{
    return a->aggregator && a->promise;
}

/* What is on the command line is for all; one that charges is enough. */
tacit_status tc_plan_check_promise(const tc_contest *a, tacit_error *err)
{
    const char *word = tc_plan_given(a, "delta")        ? "delta"
                       : tc_plan_given(a, "accountant") ? "accountant"
                                                        : NULL;
    for (size_t i = 0; i < a->n; i++)
        if (!word || a->contenders[i].records || tc_plan_charges(a->contenders[i].algorithm))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--%s is for algorithms that release with noise (" TC_PLAN_CHARGING
                   "), and %s is none of them",
                   word, a->contenders[0].algorithm->name);
}
