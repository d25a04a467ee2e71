/* control_quorum.c - negative control: a sum that closes at a quorum.
 *
 * The round ends with the third of four answers. If the first agent stays away, the fourth one,
 * otherwise late, gets in: one vector goes and another comes, and the sum moves by twice the
 * sensitivity that was claimed. Here they point in opposite directions. (That a round does not
 * close at all would be worse: an un-noised function of the data.) */
#include "privacy/audit_int.h"

#include "base/error.h"

enum { ROSTER = 4, QUORUM = 3 };

typedef struct state {
    tc_sum_plan plan;
    int64_t v[ROSTER]; /* in the order of their arrival */
} state;

/* In world 0 the first agent is absent. */
static tacit_status release(const state *s, int world, tc_entropy *e, tc_release **out,
                            tacit_error *err)
{
    size_t first = world == 1 ? 0 : 1;
    return tc_audit_sum_up(&s->plan, first, QUORUM, s->v + first, 1, e, out, err);
}

static tacit_status prepare(void *p, const void *setting, tc_audit_claim *claim, tc_entropy *e,
                            tacit_error *err)
{
    (void)setting;
    state *s = p;
    s->plan = (tc_sum_plan){.agents = ROSTER, .blocks = 1, .width = 1};
    TC_TRY(tc_sum_plan_set(&s->plan, 1, 1, 1, err));
    s->v[0] = (int64_t)s->plan.clip;
    s->v[ROSTER - 1] = -(int64_t)s->plan.clip;
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
    look->score = tc_release_value(r, 0);
    tc_release_free(r);
    return TACIT_OK;
}

const tc_audit_case tc_control_quorum = {
    .name = "closed-at-a-quorum",
    .attack = "the first agent is absent and the last gets in; the sum",
    .control = true,
    .state_size = sizeof(state),
    .open = prepare,
    .run = run,
};
