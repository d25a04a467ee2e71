/* request.c - an agent's requests: a token that has ended is renewed, a study that was deleted is said to be. */
#include "agent/agent_int.h"

#include "base/error.h"

#include <sodium.h>
#include <string.h>

/* Another process of this agent has enrolled again since, and ours is not valid any more. */
static tacit_status take_newer_access(tc_agent *a, bool *out, tacit_error *err)
{
    tc_agent kept = {.cfg = a->cfg, .name = a->name, .local_name = a->local_name};
    bool enrolled;
    TC_TRY(tc_identity_load(&kept, &enrolled, err));
    *out = enrolled && kept.number == a->number && strcmp(kept.access, a->access) != 0;
    if (*out)
        memcpy(a->access, kept.access, sizeof a->access);
    sodium_memzero(&kept, sizeof kept);
    return TACIT_OK;
}

/* A token that is not known: the one that is kept by now, or a new one for the same place, as after a
 * restore of the coordinator from a backup. */
static tacit_status renew_access(tc_agent *a, bool *out, tacit_error *err)
{
    TC_TRY(take_newer_access(a, out, err));
    if (*out || !a->study || !a->cfg.join_token)
        return TACIT_OK;
    *out = true;
    return tc_identity_enrol(a, &tc_study_get_plan(a->study)->hash, err);
}

/* Our token knows a study, and the name is that of none, or of another by now. */
static bool is_gone(const tc_answered *r)
{
    return r->status == 403 && strcmp(tc_answered_detail(r), "the token is for another study") == 0;
}

static tacit_status say_gone(const tc_agent *a, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" was deleted by its coordinator, or made again: to take part in a "
                   "new one with the same ledger, keep it here under a name of its own (--as)",
                   a->name);
}

static tacit_status ask(tc_agent *a, const tc_call *call, tc_answered *out, tacit_error *err)
{
    return tc_answered_get(&a->cfg.transport, a->name, call, out, err);
}

tacit_status tc_agent_request(tc_agent *a, const tc_call *call, tc_answered *out, tacit_error *err)
{
    bool renewed = false;
    tc_answered r;
    TC_TRY(ask(a, call, &r, err));
    bool ours = call->bearer == a->access;
    tacit_status status = ours && r.status == 401 ? renew_access(a, &renewed, err)
                          : ours && is_gone(&r)   ? say_gone(a, err)
                                                  : TACIT_OK;
    if (status == TACIT_OK && !renewed) {
        *out = r;
        return TACIT_OK;
    }
    tc_answered_fini(&r);
    return status == TACIT_OK ? ask(a, call, out, err) : status;
}

tacit_status tc_agent_post(tc_agent *a, const char *path, const char *bearer, const char *signature,
                           tc_text *body, tc_answered *out, tacit_error *err)
{
    const tc_call call = {.method = "POST",
                          .path = path,
                          .bearer = bearer,
                          .signature = signature,
                          .body = tc_text_get(body),
                          .n_body = body->len};
    tacit_status status = body->failed ? tc_fail_memory(err) : tc_agent_request(a, &call, out, err);
    tc_text_fini(body);
    return status;
}

static tacit_status request(void *user, const tc_call *call, tc_answered *out, tacit_error *err)
{
    return tc_agent_request(user, call, out, err);
}

tc_asker tc_agent_asker(tc_agent *a)
{
    return (tc_asker){request, a, a->name};
}
