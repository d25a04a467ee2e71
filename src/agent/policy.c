/* policy.c - does this agent take part in such a study? Asked before it enrols, and at every start.
 *
 * A study is refused that protects nothing, whose coordinator says of itself that its noise is no
 * secret, or that may spend more than this agent allows. One that was given no limit of its own has
 * that of EPSILON_MOST at delta_most over its whole ledger: a promise that large is a number on paper. Studies
 * of one ledger are added up by a filter (limit.c). */
#include "agent/agent_int.h"

#include "algo/charge.h"
#include "base/error.h"
#include "privacy/mechanism.h"
#include "privacy/statement.h"

#include <string.h>

#define EPSILON_MOST 10.0

/* A study whose delta is larger is one to agree to by --epsilon and --delta. */
static double delta_most(const tc_study_doc *d)
{
    return tacit_delta_default(d->agents);
}

static tacit_status too_much(const tc_study_doc *d, double epsilon, double delta, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" may spend epsilon %g at delta %g: without an epsilon of its own "
                   "this agent takes part up to epsilon %g at delta %g",
                   d->name, epsilon, delta, EPSILON_MOST, delta_most(d));
}

/* At which the cost of noise is told: of an epsilon that is promised the document's own delta is part. */
static double delta_of(const tc_study_doc *d)
{
    return d->delta > 0 && d->delta < delta_most(d) ? d->delta : delta_most(d);
}

/* ---- this study by itself ---- */

static tacit_status check_noise(const tc_study_plan *p, tacit_error *err)
{
    tacit_guarantee g;
    TC_TRY(tc_study_cost_at(p, delta_of(p->doc), &g, err));
    return g.epsilon <= EPSILON_MOST ? TACIT_OK
                                     : too_much(p->doc, g.epsilon, delta_of(p->doc), err);
}

static tacit_status check_size(const tc_study_plan *p, tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    if (d->promise == TC_PROMISE_NOISE)
        return check_noise(p, err);
    return d->epsilon <= EPSILON_MOST && d->delta <= delta_most(d)
               ? TACIT_OK
               : too_much(d, d->epsilon, d->delta, err);
}

/* ---- with all that the ledger has ---- */

/* The cost of all that the ledger has and of the rounds of this study that are still to come. */
static tacit_status cost_after(const tc_study_plan *p, tc_ledger *l, double delta,
                               tacit_guarantee *out, tacit_error *err)
{
    tc_study_cost rest = {.n = 0};
    tacit_status status = tc_study_cost_add_unpaid(&rest, p, l, err);
    tc_round_charge who = tc_study_plan_charge(p, rest.round);
    tc_ledger_plan plan = {.study = p->hash,
                           .events = rest.events,
                           .n = rest.n,
                           .distance = rest.distance,
                           .unit = who.unit,
                           .subject = tc_round_charge_subject(&who)};
    *out = (tacit_guarantee){.epsilon = 0};
    if (status == TACIT_OK && rest.n > 0)
        status = tc_ledger_after(l, &plan, delta, out, err);
    tc_study_cost_fini(&rest);
    return status;
}

static tacit_status check_sum(const tc_study_plan *p, tc_ledger *l, tacit_error *err)
{
    tacit_guarantee g;
    double delta = delta_most(p->doc);
    TC_TRY(cost_after(p, l, delta, &g, err));
    if (g.epsilon <= EPSILON_MOST)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" would bring ledger \"%s\" to epsilon %g at delta %g: without an "
                   "epsilon of its own this agent takes part up to epsilon %g, in all studies on "
                   "the same data together",
                   p->doc->name, tc_ledger_name(l), g.epsilon, delta, EPSILON_MOST);
}

/* Would a limit of this agent's own refuse the study from its first round on, for what other studies have
 * spent? Then it does not take a place. A study that it has begun goes on, and a study that is too dear by
 * itself is taken part in by declining. */
static tacit_status check_limit(const tc_agent_config *cfg, const tc_study_plan *p,
                                const tc_ledger *l, tacit_error *err)
{
    tc_planned planned = {.known = false};
    tacit_error why = {0};
    uint64_t round;
    for (uint64_t i = tc_ledger_get_head(l).seq; i > 0; i--)
        if (tc_ledger_hash_same(&tc_ledger_get(l, i, NULL)->study, &p->hash))
            return TACIT_OK;
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    if (round == TC_NO_ROUND || tc_ledger_get_head(l).seq == 0)
        return TACIT_OK;
    tc_round_charge who = tc_study_plan_charge(p, round);
    tacit_status status = tc_planned_find(&planned, p, round, err);
    tc_ledger_budget limit = cfg->limit;
    limit.document = &planned.document;
    if (status == TACIT_OK)
        status = tc_ledger_would(l, &limit, who.unit, tc_round_charge_subject(&who),
                                 &planned.cost.events[0], 0, &why);
    tc_planned_fini(&planned);
    if (status == TACIT_E_BUDGET)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" does not fit beside what ledger \"%s\" has: %s", p->doc->name,
                       tc_ledger_name(l), why.msg);
    return tc_pass_on(err, status, &why);
}

/* *out stays NULL where nothing was spent yet. */
static tacit_status open_kept_ledger(const tc_agent_config *cfg, tc_ledger **out, tacit_error *err)
{
    tc_ledger_io io;
    tacit_error why = {0};
    tacit_status status =
        cfg->store ? tc_store_ledger(cfg->store, cfg->ledger, false, &io, &why) : TACIT_E_NOT_FOUND;
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    return tc_ledger_open(out, cfg->ledger, &io, err);
}

static tacit_status check_ledger(const tc_agent_config *cfg, const tc_study_plan *p,
                                 tacit_error *err)
{
    tc_ledger *l = NULL;
    TC_TRY(open_kept_ledger(cfg, &l, err));
    if (!l)
        return TACIT_OK;
    tacit_status status = cfg->limited ? check_limit(cfg, p, l, err) : check_sum(p, l, err);
    tc_ledger_close(l);
    return status;
}

/* Is this a study that only --accept-not-private lets pass? */
static tacit_status is_weak(const tc_study_plan *p, bool *out, tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = check_size(p, &why);
    *out = status == TACIT_E_STATE;
    return *out ? TACIT_OK : tc_pass_on(err, status, &why);
}

tacit_status tc_policy_limit(tc_agent_config *cfg, const tc_study_plan *p, bool not_private,
                             tacit_error *err)
{
    bool without = cfg->accepts_not_private && (not_private || p->doc->promise == TC_PROMISE_NONE);
    if (cfg->limited || without)
        return TACIT_OK;
    if (cfg->accepts_not_private)
        TC_TRY(is_weak(p, &without, err));
    if (without)
        return TACIT_OK;
    cfg->limited = true;
    cfg->limit = (tc_ledger_budget){.epsilon = EPSILON_MOST,
                                    .delta = delta_most(p->doc),
                                    .accountant = &tc_accountant_pld,
                                    .owner = TC_AGENT_ITSELF};
    return TACIT_OK;
}

/* ---- */

static tacit_status not_told(const tc_study_doc *d, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" %s, and this agent was not told to accept that", d->name, what);
}

/* At 1/N neither a promise nor a limit means anything. */
static tacit_status check_delta(const tc_agent_config *cfg, const tc_study_doc *d, tacit_error *err)
{
    tacit_error why = {0};
    if (d->delta > 0 && tacit_delta_check("its delta", d->delta, d->agents, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_STATE, "study \"%s\" promises too little: %s", d->name,
                       why.msg);
    return cfg->limited ? tacit_delta_check("--delta", cfg->limit.delta, d->agents, err) : TACIT_OK;
}

/* ---- a study that protects records ---- */

tc_ledger_budget tc_policy_records_limit(const tc_agent_config *cfg, const tc_study_doc *d)
{
    return cfg->limited ? cfg->limit
                        : (tc_ledger_budget){.epsilon = EPSILON_MOST, .delta = delta_most(d)};
}

static tacit_status too_dear(const tc_study_plan *p, const char *beside, const tacit_guarantee *g,
                             const tc_ledger_budget *limit, tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_STATE,
        "study \"%s\" with %s may spend epsilon %g at delta %g, and this agent takes part "
        "up to epsilon %g, in all studies on the same records together",
        p->doc->name, beside, g->epsilon, limit->delta, limit->epsilon);
}

static uint64_t left_of(const tc_study_plan *p, uint64_t paid)
{
    return p->doc->trials > paid ? p->doc->trials - paid : 0;
}

/* Checks the cost together with what other studies on the same records have spent. */
static tacit_status check_records_sum(const tc_agent_config *cfg, const tc_study_plan *p,
                                      const tc_value_plan *v, tc_ledger *l,
                                      const tc_ledger_budget *limit, tacit_error *err)
{
    tacit_hash place = tc_record_guard_place(&p->hash);
    tc_record_paid paid = tc_record_count_paid(l, &place);
    uint64_t trained[TC_RECORD_EVENTS], any = left_of(p, paid.values);
    uint64_t values = any;
    tc_trainer_plan rest;
    tacit_guarantee g;
    for (size_t i = 0; i < cfg->trainer.n; i++)
        any += trained[i] = left_of(p, paid.trained[i]);
    if (any == 0)
        return TACIT_OK;
    TC_TRY(tc_trainer_plan_of(&cfg->trainer, v, values, trained, &rest, err));
    tc_ledger_plan plan = {.study = place,
                           .events = rest.events,
                           .n = rest.n,
                           .distance = rest.distance,
                           .unit = TACIT_UNIT_RECORD};
    TC_TRY(tc_ledger_after(l, &plan, limit->delta, &g, err));
    return g.epsilon <= limit->epsilon ? TACIT_OK
                                       : too_dear(p, "what the ledger has", &g, limit, err);
}

/* The noise is added here: what the coordinator is trusted with does not matter. */
static tacit_status policy_for_records(const tc_agent_config *cfg, const tc_study_plan *p,
                                       tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    tc_value_plan v;
    tc_ledger *l = NULL;
    if (!cfg->records)
        return tc_fail(err, TACIT_E_ARG,
                       "study \"%s\" protects validation records: say how many this agent has "
                       "(--records), or the sensitivity of its metric",
                       d->name);
    TC_TRY(tc_record_plan_own_range(d, cfg->records, err));
    TC_TRY(tc_record_plan_of(d, cfg->records, &v, err));
    if (!cfg->limited && d->epsilon > EPSILON_MOST)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" may spend epsilon %g at delta %g: without an epsilon of its "
                       "own this agent takes part up to epsilon %g",
                       d->name, d->epsilon, d->delta, EPSILON_MOST);
    tc_ledger_budget limit = tc_policy_records_limit(cfg, d);
    tacit_guarantee g;
    tc_trainer_plan all;
    TC_TRY(tc_trainer_plan_of(&cfg->trainer, &v, d->trials, NULL, &all, err));
    TC_TRY(tc_trainer_check_limit(&cfg->trainer, d, &all, cfg->limited ? limit.epsilon : 0,
                                  limit.delta, err));
    TC_TRY(tc_value_cost(v.z, d->trials, limit.delta, &g, err));
    if (g.epsilon > limit.epsilon)
        return too_dear(p, "nothing else", &g, &limit, err);
    TC_TRY(open_kept_ledger(cfg, &l, err));
    tacit_status status = l ? check_records_sum(cfg, p, &v, l, &limit, err) : TACIT_OK;
    tc_ledger_close(l);
    return status;
}

tacit_status tc_agent_guard(tc_agent *a, tc_record_guard **out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    *out = NULL;
    if (p->doc->promise != TC_PROMISE_RECORDS)
        return TACIT_OK;
    tc_ledger_budget limit = tc_policy_records_limit(&a->cfg, p->doc);
    return tc_record_guard_new(
        out,
        &(tc_record_guard_config){.doc = p->doc,
                                  .study = p->hash,
                                  .terms = *a->cfg.records,
                                  .trainer = a->cfg.trainer,
                                  .ledger = a->ledger,
                                  .lent = true,
                                  .terms_store = a->cfg.store,
                                  .epsilon = limit.epsilon,
                                  .delta = limit.delta,
                                  .test_seed = a->cfg.seeded ? (int64_t)a->cfg.seed : -1,
                                  .party = a->number},
        err);
}

/* ---- */

tacit_status tc_policy_check(const tc_agent_config *cfg, const tc_offer *o, const tc_study_plan *p,
                             tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    if (strcmp(d->name, cfg->study) != 0)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" was asked for, and the coordinator describes \"%s\"",
                       cfg->study, d->name);
    if (cfg->roster && p->env.trustees.count == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "study \"%s\" has no trustees, and so no roster whose fingerprint could be "
                       "compared: leave it out",
                       d->name);
    if (d->promise == TC_PROMISE_RECORDS)
        return policy_for_records(cfg, p, err);
    if (cfg->records)
        return tc_fail(err, TACIT_E_ARG,
                       "study \"%s\" protects no records, and this agent was told that it does",
                       d->name);
    if (cfg->accepts_not_private)
        return TACIT_OK;
    if (d->promise == TC_PROMISE_NONE)
        return not_told(d, "protects nothing (its privacy is \"none\")", err);
    if (o->not_private)
        return not_told(d, "is NOT PRIVATE (its coordinator's noise comes from a seed)", err);
    TC_TRY(check_delta(cfg, d, err));
    if (!cfg->limited)
        TC_TRY(check_size(p, err));
    return check_ledger(cfg, p, err);
}

tacit_status tc_agent_promise(const tc_agent *a, tc_text *out, tacit_error *err)
{
    const tc_study_plan *p = tc_study_get_plan(a->study);
    const tc_study_doc *d = p->doc;
    tacit_guarantee g = {.epsilon = d->epsilon};
    double at = d->delta;
    char epsilon[32], delta[32];
    if (d->promise == TC_PROMISE_RECORDS && !a->stamp) {
        tacit_epsilon_text(epsilon, d->epsilon);
        tacit_delta_text(delta, d->delta);
        tc_text_addf(out,
                     "the study may spend epsilon %s, delta %s for every validation record of this "
                     "agent, towards everybody: the noise is added here, and the coordinator is "
                     "not trusted with it",
                     epsilon, delta);
        return TACIT_OK;
    }
    if (d->promise == TC_PROMISE_NONE || a->stamp) {
        tc_text_addf(out, "NOT PRIVATE: %s", a->stamp ? a->stamp : tc_study_plan_not_private(p));
        return TACIT_OK;
    }
    if (d->promise == TC_PROMISE_NOISE) {
        at = delta_of(d);
        TC_TRY(tc_study_cost_at(p, at, &g, err));
    }
    tacit_epsilon_text(epsilon, g.epsilon);
    tacit_delta_text(delta, at);
    tc_text_addf(out, "the study may spend epsilon %s, delta %s for every %s. ", epsilon, delta,
                 tacit_unit_name(tc_study_plan_charge(p, 0).unit));
    tc_statement_add_trust(out, &d->trustees);
    return TACIT_OK;
}
