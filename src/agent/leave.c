/* leave.c - what an agent does about its own place: it withdraws from the study, or changes its key (agent.h).
 *
 * Both need what the storage keeps of the place and nothing else: no study is opened. The next key is on disk before the
 * coordinator hears of it, and takes the place of the other when it has heard; an agent that was killed in between ends
 * the change at its next start (agent.c). */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

static tacit_status load_place(tc_agent *a, tacit_error *err)
{
    static const tacit_hash unknown;
    bool enrolled = false;
    if (!a->name || !a->local_name)
        return tc_fail_memory(err);
    TC_TRY(tc_identity_load(a, &enrolled, err));
    if (!enrolled)
        return tc_fail(err, TACIT_E_STATE, "the storage has no place in a study \"%s\"",
                       a->local_name);
    return tc_ledger_hash_same(&a->of, &unknown)
               ? tc_fail(err, TACIT_E_STATE,
                         "the storage does not know of which study \"%s\" its place is; start the "
                         "agent once",
                         a->local_name)
               : TACIT_OK;
}

static tacit_status begin(tc_agent *a, const tc_agent_config *cfg, tacit_error *err)
{
    *a = (tc_agent){.cfg = *cfg};
    a->name = tc_strdup(cfg->study);
    a->local_name = tc_strdup(cfg->as ? cfg->as : cfg->study);
    return load_place(a, err);
}

static void end(tc_agent *a)
{
    tc_free(a->name);
    tc_free(a->local_name);
    sodium_memzero(a, sizeof *a);
}

/* ---- withdrawing ---- */

static tacit_status withdraw(tc_agent *a, tacit_error *err)
{
    tc_signed what = {.purpose = TC_SIGN_WITHDRAW,
                      .study = a->of,
                      .body = a->public_key.bytes,
                      .n_body = sizeof a->public_key.bytes};
    tc_signature proof;
    tc_text body = {0};
    tc_answered r;
    char path[64];
    tc_sign(&a->secret_key, &what, &proof);
    tc_text_add(&body, "{\"proof\": \"");
    tc_base64_add(&body, proof.bytes, sizeof proof.bytes);
    tc_text_add(&body, "\"}");
    snprintf(path, sizeof path, "/agents/%" PRIu64 ":withdraw", a->number);
    TC_TRY(tc_agent_post(a, path, a->access, NULL, &body, &r, err));
    tacit_status status =
        r.status < 300 ? TACIT_OK : tc_answered_refusal(&r, "to let this agent go", err);
    tc_answered_fini(&r);
    return status;
}

tacit_status tc_agent_withdraw(const tc_agent_config *cfg, uint64_t *number, tacit_error *err)
{
    tc_agent a;
    tacit_status status = begin(&a, cfg, err);
    if (status == TACIT_OK && a.has_next) /* the coordinator may know the other key alone */
        status = tc_identity_change(&a, err);
    if (status == TACIT_OK)
        status = withdraw(&a, err);
    *number = a.number;
    end(&a);
    return status;
}

/* ---- another key ---- */

tacit_status tc_agent_new_key(const tc_agent_config *cfg, uint64_t *number, tacit_error *err)
{
    tc_agent a;
    tacit_status status = begin(&a, cfg, err);
    if (status == TACIT_OK)
        status = tc_identity_prepare(&a, err);
    if (status == TACIT_OK)
        status = tc_identity_change(&a, err);
    *number = a.number;
    end(&a);
    return status;
}
