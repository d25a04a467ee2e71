/* duty.c - what a trustee has to do next: it asks the coordinator, and does it. */
#include "trustee/trustee_int.h"

#include "base/error.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

static tacit_status request(void *user, const tc_call *call, tc_answered *out, tacit_error *err)
{
    return tc_trustee_request(user, call, out, err);
}

static tacit_status need_roster(tc_trustee *t, long wait_s, tacit_error *err)
{
    const tc_kept_roster_party party = {.who = {request, t, t->name},
                                        .token = t->access,
                                        .store = t->cfg.store,
                                        .plan = t->plan,
                                        .kind = TC_DEALER_TRUSTEE,
                                        .number = t->place,
                                        .key = t->public_key,
                                        .pinned = t->cfg.roster,
                                        .wait_s = wait_s};
    TC_TRY(tc_kept_roster_get(&party, &t->roster, err));
    if (tc_kept_roster_is_there(&t->roster))
        tc_trustee_emit(t, &(tacit_trustee_event){.kind = TACIT_TRUSTEE_ROSTER,
                                                  .text = t->roster.fingerprint.text});
    else
        tc_trustee_emit_waits(t, "not all agents and trustees have joined yet");
    return TACIT_OK;
}

/* Nothing will be asked any more: no key of a round is needed. */
static tacit_status end(tc_trustee *t, tacit_error *err)
{
    TC_TRY(tc_trustee_identity_end(t, err));
    TC_TRY(tc_dealt_forget(t->cfg.store, &t->of, UINT64_MAX, err));
    return t->rounds.n > 0 ? tc_trustee_secrets_drop(t, t->rounds.list[t->rounds.n - 1], err)
                           : TACIT_OK;
}

static tacit_status do_duty(tc_trustee *t, const tc_answered *r, long wait_s, tc_trustee_next *next,
                            tacit_error *err)
{
    const char *duty = json_string_value(json_object_get(r->body, "duty"));
    int64_t round;
    if (r->status != 200)
        return tc_answered_refusal(r, "to say what is due", err);
    if (!duty || !tc_json_whole(json_object_get(r->body, "round"), &round) || round < 0)
        return tc_answered_strange("a duty without a word or a round", err);
    if (strcmp(duty, "end") == 0) {
        *next = TC_TRUSTEE_DONE;
        return end(t, err);
    }
    if (tc_trust_rounds_find(&t->rounds, (uint64_t)round) == t->rounds.n)
        return tc_answered_strange("a round that the study does not have", err);
    if (strcmp(duty, "deal") == 0)
        return tc_trustee_deal(t, (uint64_t)round, next, err);
    if (strcmp(duty, "answer") == 0)
        return tc_trustee_answer(t, (uint64_t)round, wait_s, next, err);
    return tc_answered_strange("a duty that is none", err);
}

tacit_status tc_trustee_step(tc_trustee *t, long wait_s, tc_trustee_next *next, tacit_error *err)
{
    char path[64];
    tc_answered r;
    *next = TC_TRUSTEE_WAIT;
    if (!tc_kept_roster_is_there(&t->roster)) {
        /* At first it does not wait, so that its operator hears at once for whom it will. */
        TC_TRY(need_roster(t, *t->waits ? wait_s : 0, err));
        if (!tc_kept_roster_is_there(&t->roster))
            return TACIT_OK;
    }
    snprintf(path, sizeof path, "/duty?wait=%ld", wait_s);
    const tc_call call = {
        .method = "GET", .path = path, .bearer = t->access, .timeout_s = 30, .wait_s = wait_s};
    TC_TRY(tc_trustee_request(t, &call, &r, err));
    tacit_status status = TACIT_OK;
    if (r.status == 202)
        tc_trustee_emit_waits(t, "no round is open, or the other trustees have not answered yet");
    else
        status = do_duty(t, &r, wait_s, next, err);
    tc_answered_fini(&r);
    return status;
}
