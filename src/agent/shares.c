/* shares.c - a message that leaves as shares: in a study with trustees nobody gets it whole.
 *
 * The journal has the message as ever. What leaves is its vector, dealt to the trustees of the roster (dealt.h): so
 * there has to be a roster, which this agent has checked. Rounds that are over take their dealings along. */
#include "agent/agent_int.h"

#include "agent/dealt.h"
#include "base/error.h"
#include "base/memory.h"
#include "privacy/shared_sum.h"

#include <sodium.h>

static const tc_study_plan *plan_of(const tc_agent *a)
{
    return tc_study_get_plan(a->study);
}

bool tc_shares_needed(const tc_agent *a)
{
    return plan_of(a)->env.trustees.count > 0;
}

static tacit_status plan_shares(const tc_agent *a, uint64_t round, tc_shared_plan *out,
                                tacit_error *err)
{
    const tc_study_plan *p = plan_of(a);
    return p->doc->algorithm->aggregator->shared(&p->env, p->opts, round, out, err);
}

tacit_status tc_shares_size(const tc_agent *a, uint64_t round, size_t *out, tacit_error *err)
{
    tc_shared_plan shared = {.width = 0};
    TC_TRY(plan_shares(a, round, &shared, err));
    *out = tc_dealing_size(&shared.trustees, shared.width);
    return TACIT_OK;
}

tacit_status tc_shares_roster(tc_agent *a, bool *there, tacit_error *err)
{
    const bool known = tc_kept_roster_is_there(&a->roster);
    const tc_kept_roster_party party = {.who = tc_agent_asker(a),
                                        .token = a->access,
                                        .store = a->cfg.store,
                                        .plan = plan_of(a),
                                        .kind = TC_DEALER_AGENT,
                                        .number = a->number,
                                        .key = a->public_key,
                                        .pinned = a->cfg.roster};
    if (!known)
        TC_TRY(tc_kept_roster_get(&party, &a->roster, err));
    *there = tc_kept_roster_is_there(&a->roster);
    if (*there && !known)
        tc_agent_emit(a, &(tacit_agent_event){.kind = TACIT_AGENT_ROSTER,
                                              .party = TACIT_UNKNOWN,
                                              .text = a->roster.fingerprint.text});
    return TACIT_OK;
}

/* The vector of the message in the outbox, for tc_free. */
static tacit_status take_vector(tc_agent *a, size_t *n, int64_t **out, tacit_error *err)
{
    const tc_study_plan *p = plan_of(a);
    const tc_outbox *o = &a->outbox;
    tc_shared_plan shared = {.width = 0};
    TC_TRY(plan_shares(a, o->round, &shared, err));
    int64_t *v = tc_alloc(shared.width, sizeof *v);
    if (!v)
        return tc_fail_memory(err);
    tacit_status status = p->doc->algorithm->aggregator->vector(
        &p->env, p->opts, o->round, tc_text_get(&o->message), o->message.len, v, err);
    if (status != TACIT_OK) {
        tc_free(v);
        return status;
    }
    *n = shared.width;
    *out = v;
    return TACIT_OK;
}

tacit_status tc_shares_make(tc_agent *a, tacit_error *err)
{
    tc_outbox *o = &a->outbox;
    const tc_dealt_by by = {.store = a->cfg.store,
                            .plan = plan_of(a),
                            .roster = &a->roster,
                            .kind = TC_DEALER_AGENT,
                            .number = a->number,
                            .identity = &a->secret_key,
                            .test_seed = a->cfg.seeded ? &a->cfg.seed : NULL};
    bool there = false;
    size_t n = 0;
    int64_t *v;
    if (o->dealt)
        return TACIT_OK;
    TC_TRY(tc_dealt_find(&by, o->round, &o->upload, &there, err));
    if (!there) {
        TC_TRY(take_vector(a, &n, &v, err));
        tacit_status status = tc_dealt_make(&by, o->round, v, n, &o->upload, err);
        sodium_memzero(v, n * sizeof *v);
        tc_free(v);
        TC_TRY(status);
    }
    o->dealt = true;
    a->shares_swept = false;
    return TACIT_OK;
}

tacit_status tc_shares_sweep(tc_agent *a, tacit_error *err)
{
    if (a->shares_swept || !tc_shares_needed(a))
        return TACIT_OK;
    TC_TRY(tc_dealt_forget(a->cfg.store, &plan_of(a)->hash, UINT64_MAX, err));
    a->outbox.dealt = false;
    a->outbox.upload.len = 0;
    a->shares_swept = true;
    return TACIT_OK;
}
