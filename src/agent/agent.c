/* agent.c - opening and closing an agent (agent.h). */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/erase.h"

#include <sodium.h>

/* The party seed of a test is that of the simulation with the same seed. */
static tacit_status open_study(tc_agent *a, tc_offer *o, tacit_error *err)
{
    tc_party_seed seed = tc_party_seed_from(a->cfg.seed);
    o->offer.party = a->number;
    return tc_study_join(&a->study, a->cfg.store, &o->offer, a->cfg.seeded ? &seed : NULL,
                         a->cfg.pool, err);
}

static tacit_status open_ledger(tc_agent *a, tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(a->cfg.store, a->cfg.ledger, true, &io, err));
    return tc_ledger_open(&a->ledger, a->cfg.ledger, &io, err);
}

/* Two processes that join the same study under different local names would both find no such study and both
 * enrol: two messages with the same data for one price. The lock is held until the study is in the storage. */
static tacit_status be_alone(tc_agent *a, const tc_study_plan *p, tacit_error *err)
{
    tacit_error why = {0};
    tc_text name = {0};
    tc_text_add(&name, "agent of ");
    tc_base64_add(&name, p->hash.bytes, sizeof p->hash.bytes);
    tacit_status status =
        name.failed ? tc_fail_memory(&why)
                    : tc_store_lock_name(a->cfg.store, tc_text_get(&name), &a->alone, &why);
    tc_text_fini(&name);
    if (status == TACIT_E_BUSY)
        return tc_fail(err, status,
                       "another agent is taking a place in this very study \"%s\" on this storage: "
                       "one storage has one place in a study",
                       a->name);
    return tc_pass_on(err, status, &why);
}

/* Is the study the one that this storage knows by that name? */
static tacit_status check_known(tc_agent *a, tc_offer *o, const tc_study_plan *p, tacit_error *err)
{
    bool erased;
    o->offer.name = a->local_name;
    TC_TRY(be_alone(a, p, err));
    TC_TRY(tc_study_was_erased(a->cfg.store, &p->hash, &erased, err));
    if (erased)
        return tc_fail(
            err, TACIT_E_STATE,
            "this storage took part in study \"%s\", and it was erased here: what it sent "
            "is paid for, and what it would send now would not be",
            a->name);
    TC_TRY(tc_study_check_offer(a->cfg.store, &o->offer, err));
    return tc_identity_check(a, &p->hash, err);
}

/* The coordinator says that its noise comes from a seed, although the document promises privacy. */
static bool is_seeded(const tc_offer *o, const tc_study_plan *p)
{
    bool matters = p->doc->promise != TC_PROMISE_RECORDS; /* there, agents add the noise */
    return matters && o->not_private && !*tc_study_plan_not_private(p);
}

/* Nobody hears of this agent before it knows what it takes part in. */
static tacit_status agree(tc_agent *a, tc_offer *o, bool enrolled, tacit_error *err)
{
    tc_study_plan *p;
    TC_TRY(tc_offer_plan(o, &p, err));
    tacit_status status = tc_policy_check(&a->cfg, o, p, err);
    if (status == TACIT_OK)
        status = check_known(a, o, p, err);
    a->stamp = a->cfg.seeded     ? "the agent's secrets come from a seed (test mode)"
               : is_seeded(o, p) ? "the coordinator's noise comes from a seed (test mode)"
                                 : NULL;
    if (status == TACIT_OK && p->doc->promise != TC_PROMISE_RECORDS)
        status = tc_policy_limit(&a->cfg, p, a->stamp != NULL, err);
    if (status == TACIT_OK && !enrolled)
        status = tc_identity_enrol(a, &p->hash, err);
    tc_study_plan_free(p);
    return status;
}

/* A token that nobody knows is a refusal like others. */
static tacit_status refused(tacit_status status, tacit_error *err)
{
    if (status == TACIT_E_NOT_FOUND && err)
        err->code = TACIT_E_STATE;
    return status == TACIT_E_NOT_FOUND ? TACIT_E_STATE : status;
}

/* A coordinator that was restored from a backup may not know who enrolled after it: a join token
 * brings an agent back to its place. */
static tacit_status get_offer(tc_agent *a, bool *enrolled, tc_offer *o, tacit_error *err)
{
    const tc_asker who = tc_agent_asker(a);
    tacit_error why;
    if (!*enrolled)
        return refused(tc_offer_get(&who, a->cfg.join_token, o, err), err);
    tacit_status status = tc_offer_get(&who, a->access, o, &why);
    if (status != TACIT_E_NOT_FOUND)
        return tc_pass_on(err, status, &why);
    if (!a->cfg.join_token)
        return tc_fail(err, TACIT_E_STATE, "%s; a join token would enrol this agent again",
                       why.msg);
    *enrolled = false;
    return refused(tc_offer_get(&who, a->cfg.join_token, o, err), err);
}

static tacit_status start(tc_agent *a, tacit_error *err)
{
    bool enrolled;
    tc_offer o;
    a->name = tc_strdup(a->cfg.study);
    a->local_name = tc_strdup(a->cfg.as ? a->cfg.as : a->cfg.study);
    if (!a->name || !a->local_name)
        return tc_fail_memory(err);
    TC_TRY(tc_identity_load(a, &enrolled, err));
    if (!enrolled && !a->cfg.join_token)
        return tc_fail(err, TACIT_E_ARG, "a join token is needed to enrol with study \"%s\"",
                       a->name);
    if (a->has_next) /* it was killed while it changed its key */
        TC_TRY(tc_identity_change(a, err));
    TC_TRY(get_offer(a, &enrolled, &o, err));
    tacit_status status = agree(a, &o, enrolled, err);
    if (status == TACIT_OK)
        status = open_study(a, &o, err);
    tc_offer_fini(&o);
    tc_name_unlock(a->alone);
    a->alone = NULL;
    return status == TACIT_OK ? open_ledger(a, err) : status;
}

/* Who would be refused makes no storage. One that is there may have the key of a place; so may a test's seed. */
static void look_for_place(const tc_agent_config *cfg, const tc_offer *o, tacit_error *out)
{
    if (o->no_place && !cfg->store && !cfg->seeded)
        (void)tc_fail(out, TACIT_E_STATE, "the coordinator refuses to enrol this agent: %s",
                      o->no_place);
}

/* Sets out->document where the study can be planned at all. */
static tacit_status look(const tc_agent_config *cfg, const tc_offer *o, tc_agent_outlook *out,
                         tacit_error *err)
{
    tc_study_plan *p;
    TC_TRY(tc_offer_plan(o, &p, err));
    out->objection.code = tc_policy_check(cfg, o, p, &out->objection);
    tc_study_plan_free(p);
    look_for_place(cfg, o, &out->no_place);
    return tc_study_doc_restore(&out->document, o->document, o->points_csv, err);
}

tacit_status tc_agent_preview(const tc_agent_config *cfg, tc_agent_outlook *out, tacit_error *err)
{
    tc_agent a = {.cfg = *cfg, .name = (char *)cfg->study};
    const tc_asker who = tc_agent_asker(&a);
    tc_offer o;
    *out = (tc_agent_outlook){.document = NULL};
    if (!cfg->join_token)
        return tc_fail(err, TACIT_E_ARG, "a join token is needed to enrol with study \"%s\"",
                       cfg->study);
    TC_TRY(refused(tc_offer_get(&who, cfg->join_token, &o, err), err));
    tacit_status status = look(cfg, &o, out, err);
    tc_offer_fini(&o);
    return status;
}

static tacit_status open_once(tc_agent **out, const tc_agent_config *cfg, tacit_error *err)
{
    tc_agent *a = tc_alloc(1, sizeof *a);
    if (!a)
        return tc_fail_memory(err);
    a->cfg = *cfg;
    tacit_status status = start(a, err);
    if (status != TACIT_OK) {
        tc_agent_close(a);
        return status;
    }
    *out = a;
    return TACIT_OK;
}

/* Processes of one agent that are started together make one key. */
tacit_status tc_agent_open(tc_agent **out, const tc_agent_config *cfg, tacit_error *err)
{
    enum { ATTEMPTS = 16 };
    tacit_status status = TACIT_E_CONFLICT;
    for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
        status = open_once(out, cfg, err);
    return status;
}

void tc_agent_close(tc_agent *a)
{
    if (!a)
        return;
    tc_ledger_close(a->theirs);
    tc_ledger_close(a->ledger);
    tc_study_close(a->study);
    sodium_memzero(&a->secret_key, sizeof a->secret_key);
    sodium_memzero(a->access, sizeof a->access);
    tc_text_fini(&a->outbox.message);
    tc_text_fini(&a->outbox.upload);
    tc_kept_roster_fini(&a->roster);
    tc_planned_fini(&a->planned);
    tc_free(a->name);
    tc_free(a->local_name);
    tc_free(a);
}

tc_study *tc_agent_study(tc_agent *a)
{
    return a->study;
}

uint64_t tc_agent_number(const tc_agent *a)
{
    return a->number;
}
