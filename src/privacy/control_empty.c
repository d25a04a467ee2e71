/* control_empty.c - negative control: no noise when nobody was sampled.
 *
 * Released code of a private federation answers an empty sample with a vector without noise: there
 * is nothing to hide, it seems. But that the sample was empty is itself a fact about who is there.
 * With one agent left it is empty always if that agent is absent, and not always if it is present:
 * one noisy release proves its presence. */
#include "privacy/audit_int.h"

#include "privacy/sampler.h"

#include "base/error.h"

enum { WIDTH = 4, IN = 1, OF = 4 };

typedef struct state {
    tc_sum_plan plan;
} state;

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    (void)e;
    state *s = p;
    s->plan = (tc_sum_plan){.agents = 1, .blocks = 1, .width = WIDTH};
    TC_TRY(tc_sum_plan_set(&s->plan, 1, 1, 1, err));
    tacit_dp_event pretended = {TACIT_DP_GAUSSIAN, 1, TACIT_DP_POISSON, (double)IN / OF, 1};
    return tc_audit_claim_event(&pretended, TC_AUDIT_DELTA, claim, err);
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    static const int64_t v[WIDTH] = {1};
    bool sampled = world == 1 && tc_sample_bernoulli(e, IN, OF);
    look->score = 0;
    if (!sampled)
        return TACIT_OK; /* the vector without noise: zero */
    tc_release *r;
    TC_TRY(tc_audit_sum_up(&((const state *)p)->plan, 0, 1, v, WIDTH, e, &r, err));
    for (size_t i = 0; i < WIDTH; i++)
        look->score += tc_release_get(r)->steps[i] != 0;
    tc_release_free(r);
    return TACIT_OK;
}

const tc_audit_case tc_control_empty = {
    .name = "un-noised-empty-sample",
    .attack = "one agent or nobody, rate 1/4; is there noise",
    .control = true,
    .most_runs = 4000,
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
