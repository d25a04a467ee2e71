/* drawn_release.h - a release of the public interface: the sum of one contribution, with noise. */
#ifndef TEST_DRAWN_RELEASE_H
#define TEST_DRAWN_RELEASE_H

#include "support/test.h"

#include <tacit/ledger.h>

static inline tacit_sum_plan plan_of(double z)
{
    tacit_sum_plan plan = TACIT_SUM_PLAN;
    plan.agents = 5;
    plan.width = 2;
    plan.clip_norm = 1;
    plan.noise_multiplier = z;
    return plan;
}

static inline tacit_release *draw(double z)
{
    tacit_error err = {0};
    tacit_sum_plan plan = plan_of(z);
    tacit_sum *sum = NULL;
    tacit_release *r = NULL;
    assert_ok(tacit_sum_open(&sum, &plan, &err));
    assert_ok(tacit_sum_fold(sum, 2, (const double[]){0.5, 0.25}, &err));
    assert_ok(tacit_sum_close(sum, &r, &err));
    tacit_sum_free(sum);
    return r;
}

#endif
