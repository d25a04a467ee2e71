/* alike_writers.c - digits by writers, a convolutional network, wide ranges, for 50 agents who differ. See
 * alike.h and digits_grids.h.
 *
 * Length-scale and noise are those of the activity task; mean and standard deviation of the errors are those
 * of the pilot group, ten more writers who take part in no study, over all their networks (0.706, 0.302). */
#include "base/memory.h"
#include "papers/experiments/alike.h"
#include "papers/experiments/digits_grids.h"

static tacit_status prepare(const tc_setup *s, void **out, tacit_error *err)
{
    char *objective;
    tacit_status status = tc_digits_grid(s, true, TC_BY_HAND, &objective, err);
    if (status == TACIT_OK)
        *out = objective;
    return status;
}

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    return tc_alike_run(c, c->prepared, tc_digits_agents(c->quick), err);
}

static const tc_arm arms[] = {TC_ALIKE_ARMS("lengthscale=0.3,y_mean=-0.7,y_scale=0.3,noise=0.01,")};

const tc_experiment tc_experiment_alike_writers = {
    .name = "alike-digits-writers",
    TC_ALIKE_EXPERIMENT,
    .statements = tc_alike_says,
    .setting = "handwritten digits, N = 50 hands of some 167 each, wide ranges, delta 1e-5",
    .version = 1,
    TC_DIGITS_DATA,
    .prepare = prepare,
    .finish = tc_free,
    .runs = 40,
    .quick_runs = 2,
    .seconds = 1,
    .quick_seconds = 0.5,
    TC_ARMS(arms),
    .run = run,
};
