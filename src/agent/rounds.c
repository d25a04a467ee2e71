/* rounds.c - what an agent does for a round: make its message, send it, hear, go on.
 *
 * The order is what matters. The message is journalled; its price is in the agent's own ledger; it is
 * sent, and sent again until it is acknowledged (sending.c); the broadcast is checked against the
 * coordinator's ledger; it is journalled, and only then the optimizer knows of it. Started anew at any point,
 * `need` says where we are, and every step may be done twice. */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* After so many answers that say "not yet" we look again: a coordinator that was restored from a copy
 * may have forgotten what we wait for. */
enum { LOOK_AGAIN = 3, CONFLICTS_MOST = 64 };

static void keep_waiting(tc_agent *a, const tc_answered *r, uint64_t round, uint64_t party,
                         const char *what, tc_agent_next *next)
{
    int64_t deadline_ms = json_integer_value(json_object_get(r->body, "deadline_ms"));
    tc_agent_emit_waits(a, round, party, deadline_ms, what);
    *next = TC_AGENT_WAIT;
    if (++a->waits % LOOK_AGAIN == 0)
        a->outbox.pending = true;
}

/* ---- hearing ---- */

/* Said for good in our own ledger, whether we go on or not. */
static tacit_status check_stamp(tc_agent *a, uint64_t round, tacit_error *err)
{
    if (!a->stamp)
        TC_TRY(tc_send_stamp(a, round, err));
    a->stamp = "the coordinator's noise is no secret";
    if (a->cfg.accepts_not_private)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "the broadcast of round %" PRIu64 " is stamped NOT PRIVATE, and this agent was "
                   "not told to accept that",
                   round);
}

/* Another process of this agent may have heard it meanwhile: then the round is over for us, too. */
static tacit_status unless_over(tc_agent *a, uint64_t round, tacit_status status,
                                const tacit_error *why, tacit_error *err)
{
    tc_need need;
    if (status == TACIT_E_STATE) {
        TC_TRY(tc_study_need(a->study, &need, err));
        if (!(need.must & TC_NEED_ABSORB) || need.round != round)
            return TACIT_OK;
    }
    return tc_pass_on(err, status, why);
}

static void emit(tc_agent *a, tacit_agent_event_kind kind, uint64_t round, uint64_t party,
                 const char *text)
{
    tc_agent_emit(a,
                  &(tacit_agent_event){.kind = kind, .round = round, .party = party, .text = text});
}

static tacit_status skip(tc_agent *a, uint64_t round, const char *reason, tacit_error *err)
{
    tacit_error why = {0};
    return unless_over(a, round, tc_study_skip(a->study, round, reason, &why), &why, err);
}

static tacit_status absorb(tc_agent *a, uint64_t round, const tc_answered *r, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(r->body, "release"));
    tacit_error why = {0};
    uint8_t *bytes;
    size_t n;
    bool is_private;
    if (!text)
        return tc_answered_strange("a broadcast without a release", err);
    TC_TRY(tc_answered_release(text, &bytes, &n, err));
    tacit_status status = tc_check_their_release(a, round, bytes, n, &is_private, err);
    if (status == TACIT_OK && !(is_private && json_is_true(json_object_get(r->body, "private"))))
        status = check_stamp(a, round, err);
    if (status == TACIT_OK)
        status = unless_over(a, round, tc_study_absorb(a->study, round, bytes, n, &why), &why, err);
    tc_free(bytes);
    if (status == TACIT_OK)
        emit(a, TACIT_AGENT_HEARD, round, TACIT_UNKNOWN, NULL);
    return status;
}

/* The round has ended without a broadcast. */
static tacit_status do_without(tc_agent *a, uint64_t round, const char *reason, tacit_error *err)
{
    TC_TRY(skip(a, round, reason, err));
    emit(a, TACIT_AGENT_SKIPPED, round, TACIT_UNKNOWN, reason);
    return TACIT_OK;
}

/* Asks for the broadcast of the round, and takes what comes: nothing yet, the broadcast, or that there will be none. */
static tacit_status hear(tc_agent *a, uint64_t round, long wait_s, tc_agent_next *next,
                         tacit_error *err)
{
    char path[64], what[64];
    tc_answered r;
    tacit_status status = TACIT_OK;
    snprintf(path, sizeof path, "/rounds/%" PRIu64 "/broadcast?wait=%ld", round, wait_s);
    tc_call call = {
        .method = "GET", .path = path, .bearer = a->access, .timeout_s = 30, .wait_s = wait_s};
    TC_TRY(tc_agent_request(a, &call, &r, err));
    *next = TC_AGENT_AGAIN;
    if (r.status != 202)
        a->waits = 0;
    switch (r.status) {
    case 202:
        keep_waiting(a, &r, round, TACIT_UNKNOWN, "not all agents have answered yet", next);
        break;
    case 200:
        status = absorb(a, round, &r, err);
        break;
    case 410:
        status = do_without(a, round, tc_answered_detail(&r), err);
        break;
    default:
        snprintf(what, sizeof what, "the broadcast of round %" PRIu64, round);
        status = tc_answered_refusal(&r, what, err);
    }
    tc_answered_fini(&r);
    return status;
}

/* The journal has our message, and the optimizer waits for the broadcast of its round: send, then hear. */
static tacit_status end_round(tc_agent *a, uint64_t round, long wait_s, tc_agent_next *next,
                              tacit_error *err)
{
    tc_sent what;
    tacit_error why = {0};
    if (a->outbox.round != round) { /* another process of this agent made it */
        a->outbox.known = false;
        TC_TRY(tc_outbox_fill(a, err));
    }
    TC_TRY(tc_send(a, &what, &why, err));
    *next = what == TC_SEND_LATER ? TC_AGENT_WAIT : TC_AGENT_AGAIN;
    if (what == TC_DECLINED)
        return skip(a, round, why.msg, err);
    return what == TC_SENT ? hear(a, round, wait_s, next, err) : TACIT_OK;
}

/* ---- a relay's messages ---- */

static tacit_status miss(tc_agent *a, const tc_need *need, const char *why, tacit_error *err)
{
    TC_TRY(tc_study_miss(a->study, need->round, need->party, why, err));
    emit(a, TACIT_AGENT_SKIPPED, need->round, need->party, why);
    return TACIT_OK;
}

static tacit_status take_message(tc_agent *a, const tc_need *need, const tc_answered *r,
                                 tc_agent_next *next, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(r->body, "release"));
    uint8_t *bytes;
    size_t n;
    *next = TC_AGENT_AGAIN;
    if (r->status == 202) {
        keep_waiting(a, r, need->round, need->party, "another agent's message is not there yet",
                     next);
        return TACIT_OK;
    }
    a->waits = 0;
    if (r->status == 404)
        return miss(a, need, tc_answered_detail(r), err);
    if (r->status != 200 || !text)
        return tc_answered_refusal(r, "a message of another agent", err);
    TC_TRY(tc_answered_release(text, &bytes, &n, err));
    tacit_status status = tc_study_fetch(a->study, need->round, need->party, bytes, n, err);
    tc_free(bytes);
    if (status == TACIT_OK)
        emit(a, TACIT_AGENT_HEARD, need->round, need->party, NULL);
    return status;
}

static tacit_status fetch(tc_agent *a, const tc_need *need, long wait_s, tc_agent_next *next,
                          tacit_error *err)
{
    char path[96];
    tc_answered r;
    snprintf(path, sizeof path, "/rounds/%" PRIu64 "/messages/%" PRIu64 "?wait=%ld", need->round,
             need->party, wait_s);
    tc_call call = {
        .method = "GET", .path = path, .bearer = a->access, .timeout_s = 30, .wait_s = wait_s};
    TC_TRY(tc_agent_request(a, &call, &r, err));
    tacit_status status = take_message(a, need, &r, next, err);
    tc_answered_fini(&r);
    return status;
}

/* ---- */

/* Makes the message of the round that is due, and journals it. Should the append fail, the journal may have it all the
 * same, and the next step looks. */
static tacit_status publish(tc_agent *a, tacit_error *err)
{
    tc_outbox *o = &a->outbox;
    o->known = o->pending = o->dealt = false;
    o->message.len = 0;
    tacit_error why = {0};
    tc_need need;
    tacit_status status = tc_study_publish(a->study, &o->round, &o->message, &why);
    if (status == TACIT_E_STATE) { /* another process of this agent may have made it */
        TC_TRY(tc_study_need(a->study, &need, err));
        if (!(need.may & TC_NEED_PUBLISH))
            return TACIT_OK;
    }
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    o->known = o->pending = true;
    return TACIT_OK;
}

/* A relay waits for nobody's answer, but for its own message to be taken. What our ledger
 * refuses stays here. */
static tacit_status send_on(tc_agent *a, tc_agent_next *next, tacit_error *err)
{
    tc_sent what;
    tacit_error why = {0};
    TC_TRY(tc_send(a, &what, &why, err));
    *next = what == TC_SEND_LATER ? TC_AGENT_WAIT : TC_AGENT_AGAIN;
    return TACIT_OK;
}

/* A batch counts as its pulls, as it does against the budget. */
static tacit_status count_trials(tc_agent *a, uint64_t *told, size_t *running, tacit_error *err)
{
    const tc_optimizer *o;
    TC_TRY(tc_study_look(a->study, &o, err));
    *told = tc_optimizer_pulls(o, TC_TRIAL_COMPLETE) + tc_optimizer_count(o, TC_TRIAL_FAIL) +
            tc_optimizer_count(o, TC_TRIAL_PRUNED);
    *running = tc_optimizer_count(o, TC_TRIAL_RUNNING);
    tc_study_unlook(a->study);
    return TACIT_OK;
}

/* A trial that an earlier, killed process left behind is finished first: so rounds come in the same order as without the
 * kill. */
static tacit_status go_on(tc_agent *a, const tc_need *need, long wait_s, tc_agent_next *next,
                          tacit_error *err)
{
    uint64_t told;
    size_t running;
    TC_TRY(count_trials(a, &told, &running, err));
    *next = told >= tc_study_document(a->study)->trials ? TC_AGENT_DONE : TC_AGENT_TRIAL;
    if (*next == TC_AGENT_DONE || running > 0)
        return TACIT_OK;
    if (need->must & TC_NEED_FETCH)
        return fetch(a, need, wait_s, next, err);
    if (!(need->may & TC_NEED_PUBLISH))
        return TACIT_OK;
    *next = TC_AGENT_AGAIN;
    return publish(a, err);
}

/* The journal says what may be done and what is waited for. */
static tacit_status step(tc_agent *a, long wait_s, tc_agent_next *next, tacit_error *err)
{
    tc_need need;
    TC_TRY(tc_outbox_fill(a, err));
    TC_TRY(tc_study_need(a->study, &need, err));
    if (need.must & TC_NEED_ABSORB)
        return end_round(a, need.round, wait_s, next, err);
    if (a->outbox.pending && tc_study_document(a->study)->algorithm->relay)
        return send_on(a, next, err);
    TC_TRY(tc_shares_sweep(a, err));
    return go_on(a, &need, wait_s, next, err);
}

/* Another process of this agent was first: what it did is read, and we go on from there; after a pause, if
 * that did not help. */
tacit_status tc_agent_step(tc_agent *a, long wait_s, tc_agent_next *next, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = step(a, wait_s, next, &why);
    bool again = status == TACIT_E_CONFLICT && a->conflicts < CONFLICTS_MOST;
    a->conflicts = again ? a->conflicts + 1 : 0;
    if (status == TACIT_OK)
        return TACIT_OK;
    if (!again)
        return tc_pass_on(err, status, &why);
    a->outbox.known = false;
    *next = a->conflicts > 1 ? TC_AGENT_WAIT : TC_AGENT_AGAIN;
    return TACIT_OK;
}
