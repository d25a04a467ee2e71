/* due.c - is it time to close the present round of a study? For closing.c. */
#include "coord/coord_int.h"
#include "coord/roster.h"
#include "coord/round.h"

#include "base/error.h"
#include "base/memory.h"

/* Receipts, for an agent that has withdrawn took its message with it and left the receipt: if it is readmitted while the
 * round is open, it has answered, and nothing more comes of it. */
static tacit_status count_answers(tc_coord *c, const tc_open_study *d, uint64_t round,
                                  uint64_t *out, tacit_error *err)
{
    tc_key key = tc_key_number(round);
    tc_record_range range = {
        .study = d->id, .kind = TC_RECORD_RECEIPT, .prefix = key.bytes, .prefix_size = key.n};
    return tc_store_record_count(c->cfg.store, &range, out, err);
}

typedef struct revoked {
    uint64_t *agents;
    size_t n, cap;
} revoked;

static tacit_status note_revoked(void *user, const tc_record *r, tacit_error *err)
{
    revoked *v = user;
    (void)err;
    if (v->n < v->cap)
        v->agents[v->n++] = tc_roster_revoked_agent(r);
    return TACIT_OK;
}

/* How many of these agents have answered nothing in this round. */
static tacit_status count_silent(tc_coord *c, const tc_open_study *d, uint64_t round,
                                 const revoked *v, uint64_t *out, tacit_error *err)
{
    *out = 0;
    for (size_t i = 0; i < v->n; i++) {
        tc_key key = tc_key_numbers(round, v->agents[i]);
        tc_record_range one = {
            .study = d->id, .kind = TC_RECORD_RECEIPT, .prefix = key.bytes, .prefix_size = key.n};
        uint64_t n;
        TC_TRY(tc_store_record_count(c->cfg.store, &one, &n, err));
        *out += n == 0;
    }
    return TACIT_OK;
}

/* Nobody waits for agents that were revoked. */
static tacit_status is_complete(tc_coord *c, const tc_open_study *d, uint64_t round, uint64_t sent,
                                bool *out, tacit_error *err)
{
    uint64_t agents = d->plan->env.agents, silent = 0;
    uint64_t missing = sent < agents ? agents - sent : 0;
    *out = missing == 0;
    if (*out)
        return TACIT_OK;
    revoked v = {.agents = tc_alloc((size_t)agents, sizeof *v.agents), .cap = (size_t)agents};
    if (!v.agents)
        return tc_fail_memory(err);
    tacit_status status = tc_roster_revoked(c, d->id, note_revoked, &v, err);
    if (status == TACIT_OK)
        status = count_silent(c, d, round, &v, &silent, err);
    tc_free(v.agents);
    *out = silent >= missing;
    return status;
}

tacit_status tc_round_is_due(tc_coord *c, const tc_open_study *d, const tc_round *r,
                             tc_study_state state, bool *due, tacit_error *err)
{
    uint64_t n;
    *due = r->phase == TC_PHASE_CLOSING; /* a process has begun to close it */
    if (r->phase != TC_PHASE_OPEN || state == TC_STUDY_PAUSED)
        return TACIT_OK;
    *due = state == TC_STUDY_CLOSED || (r->deadline_ms > 0 && tc_coord_is_past(c, r->deadline_ms));
    if (*due)
        return TACIT_OK;
    TC_TRY(count_answers(c, d, r->number, &n, err));
    return is_complete(c, d, r->number, n, due, err);
}
