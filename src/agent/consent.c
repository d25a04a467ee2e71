/* consent.c - does this agent take part in such a study? Asked before it enrols, and at every start.
 *
 * A study is refused that protects nothing, whose coordinator says of itself that its noise is no
 * secret, or that may spend more than this agent allows. One that was given no limit of its own has
 * that of EPSILON_MOST and DELTA_MOST: a promise that large is a number on paper. */
#include "agent/agent_int.h"

#include "algo/charge.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#define EPSILON_MOST 10.0
#define DELTA_MOST   0.01

static tacit_status too_much(const tc_study_doc *d, double epsilon, double delta, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" may spend epsilon %g at delta %g: without an epsilon of its own "
                   "this agent takes part up to epsilon %g at delta %g",
                   d->name, epsilon, delta, EPSILON_MOST, DELTA_MOST);
}

/* What rounds cost together. */
typedef struct bill {
    tc_dp_event *events;
    size_t n, cap;
    double distance;
} bill;

static tacit_status add_round(const tc_study_plan *p, uint64_t round, bill *b, tacit_error *err)
{
    double distance;
    if (!tc_grow((void **)&b->events, &b->cap, b->n + 1, sizeof *b->events))
        return tc_fail_memory(err);
    TC_TRY(tc_study_plan_price(p, round, &b->events[b->n], &distance, err));
    b->n++;
    b->distance += distance;
    return TACIT_OK;
}

/* All rounds of the study; a single record is in one of them only. */
static tacit_status add_rounds(const tc_study_plan *p, bill *b, tacit_error *err)
{
    uint64_t round;
    TC_TRY(tc_study_plan_next_round(p, 0, &round, err));
    while (round != TC_NO_ROUND) {
        TC_TRY(add_round(p, round, b, err));
        if (!tc_round_charge_of(p->doc->algorithm, p->opts, round).everybody)
            return TACIT_OK;
        TC_TRY(tc_study_plan_next_round(p, round + 1, &round, err));
    }
    return TACIT_OK;
}

static tacit_status cost(const tc_study_plan *p, double delta, tc_guarantee *out, tacit_error *err)
{
    bill b = {.n = 0};
    tacit_status status = add_rounds(p, &b, err);
    if (status == TACIT_OK)
        status = tc_ledger_cost(&tc_accountant_pld, b.events, b.n, b.distance, delta, out, err);
    tc_free(b.events);
    return status;
}

static tacit_status check_noise(const tc_study_plan *p, tacit_error *err)
{
    double delta = p->doc->delta > 0 && p->doc->delta < DELTA_MOST ? p->doc->delta : DELTA_MOST;
    tc_guarantee g;
    TC_TRY(cost(p, delta, &g, err));
    return g.epsilon <= EPSILON_MOST ? TACIT_OK : too_much(p->doc, g.epsilon, delta, err);
}

static tacit_status check_size(const tc_study_plan *p, tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    if (d->promise == TC_PROMISE_NOISE)
        return check_noise(p, err);
    return d->epsilon <= EPSILON_MOST && d->delta <= DELTA_MOST
               ? TACIT_OK
               : too_much(d, d->epsilon, d->delta, err);
}

static tacit_status not_told(const tc_study_doc *d, const char *what, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" %s, and this agent was not told to accept that", d->name, what);
}

tacit_status tc_consent(const tc_agent_config *cfg, const tc_offer *o, const tc_study_plan *p,
                        tacit_error *err)
{
    const tc_study_doc *d = p->doc;
    if (strcmp(d->name, cfg->study) != 0)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" was asked for, and the coordinator describes \"%s\"",
                       cfg->study, d->name);
    if (cfg->accepts_not_private)
        return TACIT_OK;
    if (d->promise == TC_PROMISE_NONE)
        return not_told(d, "protects nothing (its privacy is \"none\")", err);
    if (o->not_private)
        return not_told(d, "is NOT PRIVATE (its coordinator's noise comes from a seed)", err);
    return cfg->limited ? TACIT_OK : check_size(p, err);
}
