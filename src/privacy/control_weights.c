/* control_weights.c - negative control: weights renormalised over who is present.
 *
 * A sum with weights 1/n over the n agents that came looks like an average and is a mistake: when
 * one agent stays away, the weights of all others grow, and with them the noise, which follows the
 * largest weight. Seven agents against six change its standard deviation by a factor 7/6 whatever
 * the noise multiplier is, and the sample variance of one release shows it. The mechanism below
 * is sound for the plan it is given; the plan is not a public constant. */
#include "privacy/audit_int.h"

#include "base/error.h"

#include <math.h>

enum { ROSTER = 7, WIDTH = 400, WEIGHT_BITS = 24 };

typedef struct state {
    uint32_t weights[2][ROSTER]; /* in world 0 everybody is there, in world 1 one is missing */
    tc_sum_plan plan[2];
} state;

static tacit_status release(const state *s, int world, tc_entropy *e, tc_release **out,
                            tacit_error *err)
{
    static const int64_t nothing[WIDTH]; /* the noise alone is enough */
    const tc_sum_plan *plan = &s->plan[world];
    return tc_audit_sum_up(plan, 0, plan->agents, nothing, 0, e, out, err);
}

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    state *s = p;
    for (size_t world = 0; world < 2; world++) {
        size_t present = ROSTER - world;
        for (size_t n = 0; n < present; n++)
            s->weights[world][n] = (UINT32_C(1) << WEIGHT_BITS) / (uint32_t)present;
        s->plan[world] = (tc_sum_plan){.agents = present,
                                       .blocks = 1,
                                       .width = WIDTH,
                                       .groups = present,
                                       .weights = s->weights[world],
                                       .weight_bits = WEIGHT_BITS};
        TC_TRY(tc_sum_plan_set(&s->plan[world], 1, 4, 1, err));
    }
    tc_release *r;
    TC_TRY(release(s, 0, e, &r, err));
    tacit_status status = tc_audit_claim_of(r, 1, TC_AUDIT_DELTA, claim, err);
    tc_release_free(r);
    return status;
}

static tacit_status run(void *p, int world, tc_entropy *e, tc_audit_look *look, tacit_error *err)
{
    tc_release *r;
    TC_TRY(release(p, world, e, &r, err));
    look->score = 0;
    for (size_t i = 0; i < WIDTH; i++)
        look->score += tc_release_value(r, i) * tc_release_value(r, i);
    tc_release_free(r);
    return TACIT_OK;
}

const tc_audit_case tc_control_weights = {
    .name = "renormalised-weights",
    .attack = "seven agents or six; variance of the release",
    .control = true,
    .most_runs = 2000,
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
