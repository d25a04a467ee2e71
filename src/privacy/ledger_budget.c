/* ledger_budget.c - what units have spent, and whether they can afford more.
 *
 * A release that charges everybody must fit the budget of everybody: of each unit that entries
 * name, and of those that none does. Whoever has spent no more than somebody who was looked at
 * before need not be looked at, so that thousands of units cost a few calls of an accountant. */
#include "privacy/ledger_int.h"

#include "privacy/statement.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/* ---- claims */

typedef struct worst {
    const tc_accountant *accountant;
    double delta;
    tc_ledger_spending spending;
    tc_ledger_claim claim;
    const tc_ledger_entry *not_private; /* of any unit */
    bool any;
} worst;

static tacit_status look_at(void *user, const tc_ledger_spending *s, tacit_error *err)
{
    worst *w = user;
    tacit_guarantee g;
    if (s->not_private && (!w->not_private || s->not_private->seq < w->not_private->seq))
        w->not_private = s->not_private;
    if (w->any && tc_ledger_spending_within(s, &w->spending))
        return TACIT_OK;
    TC_TRY(tc_ledger_prove(w->accountant, s, w->delta, &g, err));
    if (w->any && w->claim.entries > 0 && g.epsilon <= w->claim.bound.epsilon)
        return TACIT_OK;
    tc_ledger_spending_fini(&w->spending);
    w->any = false;
    TC_TRY(tc_ledger_spending_copy(&w->spending, s, err));
    w->any = true;
    w->claim.bound = g;
    w->claim.subject = s->subject;
    w->claim.entries = s->entries;
    w->claim.several = s->several;
    w->claim.relation = s->relation;
    return TACIT_OK;
}

tacit_status tc_ledger_guarantee(const tc_ledger *l, tacit_unit unit, const char *subject,
                                 double delta, const tc_accountant *a, tc_ledger_claim *out,
                                 tacit_error *err)
{
    worst w = {.accountant = a, .delta = delta, .claim = {.unit = unit}};
    tacit_status status = tc_ledger_visit_subject(l, unit, subject, look_at, &w, err);
    tc_ledger_spending_fini(&w.spending);
    TC_TRY(status);
    w.claim.is_private = !w.not_private;
    w.claim.not_private = w.not_private ? w.not_private->not_private : "";
    *out = w.claim;
    return TACIT_OK;
}

/* ---- budgets */

typedef struct request {
    const tc_ledger *ledger;
    const tc_ledger_budget *budget;
    tacit_unit unit;
    const tacit_dp_event *event;
    double distance;
    bool part;                   /* the release is about agents, and the unit a part of one */
    tc_ledger_spending approved; /* the last that could afford it */
} request;

/* `agent "a"`, or what stands for those without a name. */
static void whose(char out[TC_LEDGER_MAX_NAME + 16], const request *r, const char *subject)
{
    const char *name = tacit_unit_name(r->unit);
    if (r->budget->owner && r->unit == TACIT_UNIT_AGENT)
        snprintf(out, TC_LEDGER_MAX_NAME + 16, "%s", r->budget->owner);
    else if (*subject)
        snprintf(out, TC_LEDGER_MAX_NAME + 16, "%s \"%s\"", name, subject);
    else
        snprintf(out, TC_LEDGER_MAX_NAME + 16, "every %s", name);
}

static tacit_status refuse(const request *r, const tc_ledger_spending *s, double spent,
                           const tacit_guarantee *after, tacit_error *err)
{
    char name[TC_LEDGER_MAX_NAME + 16], spent_text[32], asked[32], remaining[32];
    whose(name, r, s->subject);
    tacit_epsilon_text(spent_text, spent);
    tacit_epsilon_text(asked, isinf(after->epsilon) ? INFINITY : after->epsilon - spent);
    tacit_lower_text(remaining, fmax(r->budget->epsilon - spent, 0));
    return tc_fail(err, TACIT_E_BUDGET,
                   "the privacy budget of %s (epsilon %g, delta %g) does not allow this release: "
                   "spent %s, asked %s, remaining %s (%s)",
                   name, r->budget->epsilon, r->budget->delta, spent_text, asked, remaining,
                   after->accountant);
}

static tacit_status afford_accounted(const request *r, const tc_ledger_spending *s,
                                     tc_ledger_spending *after, tacit_error *err)
{
    tacit_guarantee before, g;
    const tc_ledger_budget *b = r->budget;
    TC_TRY(tc_ledger_account(b->accountant, after, b->delta, &g, err));
    if (g.epsilon <= b->epsilon)
        return TACIT_OK;
    TC_TRY(tc_ledger_account(b->accountant, s, b->delta, &before, err));
    return refuse(r, s, before.epsilon, &g, err);
}

static const tacit_hash *study_of(const tc_ledger_budget *b)
{
    return b->document ? &b->document->study : NULL;
}

/* before and after: with what studies have planned beyond their releases. */
static tacit_status afford_filtered(const request *r, tc_ledger_spending *before,
                                    tc_ledger_spending *after, tacit_error *err)
{
    tacit_guarantee spent, g;
    const tc_ledger_budget *b = r->budget;
    const tacit_hash *study = study_of(b);
    TC_TRY(tc_ledger_add_planned(r->ledger, r->unit, study, r->event, before, err));
    TC_TRY(tc_ledger_add_planned(r->ledger, r->unit, study, r->event, after, err));
    tacit_status status = tc_ledger_filter_check(after, b->epsilon, b->delta, err);
    if (status != TACIT_E_BUDGET)
        return status;
    TC_TRY(tc_ledger_prove(NULL, before, b->delta, &spent, err));
    TC_TRY(tc_ledger_filter_bound(after, b->delta, &g, err));
    return refuse(r, before, spent.epsilon, &g, err);
}

/* The document's plan, as this unit is charged for it. */
static tacit_status plan_for(const request *r, tc_ledger_spending *plan, tacit_error *err)
{
    const tc_ledger_document *doc = r->budget->document;
    for (size_t i = 0; i < doc->n; i++) {
        tacit_dp_event event = r->part ? tc_ledger_replacing(&doc->events[i]) : doc->events[i];
        TC_TRY(tc_ledger_spending_ask(plan, &doc->study, &event, 0, err));
    }
    plan->distance = doc->distance;
    return TACIT_OK;
}

/* Is all of it, the release that is asked for included, fixed by one document, which keeps to the budget as
 * a whole? A plan of one release is in the ledger with that. */
static tacit_status is_planned(const request *r, const tc_ledger_spending *after, bool *out,
                               tacit_error *err)
{
    const tc_ledger_document *doc = r->budget->document;
    bool whole = doc->n == 1 && doc->events[0].count == 1;
    tc_ledger_spending plan = {.subject = ""};
    tacit_guarantee g = {.epsilon = INFINITY};
    *out = false;
    if (after->several || !(whole || tc_ledger_plan_kept(r->ledger, &doc->study)))
        return TACIT_OK;
    tacit_status status = plan_for(r, &plan, err);
    bool covered = status == TACIT_OK && tc_ledger_spending_covers(&plan, after);
    if (covered && doc->epsilon > 0 && !r->part)
        g.epsilon = doc->epsilon;
    else if (covered)
        status = tc_ledger_account(r->budget->accountant, &plan, r->budget->delta, &g, err);
    tc_ledger_spending_fini(&plan);
    *out = g.epsilon <= r->budget->epsilon;
    return status;
}

static tacit_status afford_after(const request *r, const tc_ledger_spending *s,
                                 tc_ledger_spending *before, tc_ledger_spending *after,
                                 tacit_error *err)
{
    const tc_ledger_budget *b = r->budget;
    bool planned = false;
    TC_TRY(tc_ledger_spending_ask(after, study_of(b), r->event, r->distance, err));
    if (b->accountant && (!b->document || (b->document->n == 0 && !after->several)))
        return afford_accounted(r, s, after, err);
    if (b->accountant && b->document->n > 0)
        TC_TRY(is_planned(r, after, &planned, err));
    return planned ? TACIT_OK : afford_filtered(r, before, after, err);
}

static tacit_status afford(void *user, const tc_ledger_spending *s, tacit_error *err)
{
    request *r = user;
    if (r->approved.events && tc_ledger_spending_within(s, &r->approved))
        return TACIT_OK;
    tc_ledger_spending before = {0}, after = {0};
    tacit_status status = tc_ledger_spending_copy(&before, s, err);
    if (status == TACIT_OK)
        status = tc_ledger_spending_copy(&after, s, err);
    if (status == TACIT_OK)
        status = afford_after(r, s, &before, &after, err);
    tc_ledger_spending_fini(&before);
    tc_ledger_spending_fini(&after);
    TC_TRY(status);
    tc_ledger_spending_fini(&r->approved);
    return tc_ledger_spending_copy(&r->approved, s, err);
}

/* No budget can be held against what nobody knows. */
static tacit_status check_counted(const tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                                  tacit_error *err)
{
    const tc_ledger_entry *e = b->accepts_uncounted ? NULL : tc_ledger_uncounted(l, unit);
    if (!e)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_BUDGET,
                   "the privacy budget (epsilon %g, delta %g) does not allow this release: nobody "
                   "knows what was spent, the ledger was %s",
                   b->epsilon, b->delta, e->not_private);
}

static tacit_status ask_units(const tc_ledger *l, const request *asked, const char *subject,
                              tacit_error *err)
{
    request r = *asked;
    tacit_status status = tc_ledger_visit_subject(l, r.unit, subject, afford, &r, err);
    tc_ledger_spending_fini(&r.approved);
    return status;
}

/* What is released about agents must also fit the budgets of rows, users and records that the ledger has
 * (ledger_spending.c). */
static tacit_status ask_parts(const tc_ledger *l, const request *asked, tacit_error *err)
{
    static const tacit_unit parts[] = {TACIT_UNIT_ROW, TACIT_UNIT_USER, TACIT_UNIT_RECORD};
    tacit_dp_event event = tc_ledger_replacing(asked->event);
    request r = *asked;
    r.event = &event;
    r.part = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        r.unit = parts[i];
        if (tc_ledger_has_unit(l, r.unit))
            TC_TRY(ask_units(l, &r, NULL, err));
    }
    return TACIT_OK;
}

tacit_status tc_ledger_would(const tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                             const char *subject, const tacit_dp_event *event, double distance,
                             tacit_error *err)
{
    request r = {.ledger = l, .budget = b, .unit = unit, .event = event, .distance = distance};
    if (!(b->epsilon > 0))
        return tc_fail(err, TACIT_E_ARG, "the epsilon of a budget must be > 0, got %g", b->epsilon);
    TC_TRY(tc_dp_event_check(event, err));
    if (!tc_sampling_is_proved(event, TACIT_RELATION_USUAL))
        TC_TRY(tacit_unit_check(unit, tc_dp_event_rate(event), err));
    if (subject)
        TC_TRY(tc_ledger_check_name("subject", subject, err));
    TC_TRY(check_counted(l, b, unit, err));
    TC_TRY(ask_units(l, &r, subject, err));
    return unit == TACIT_UNIT_AGENT ? ask_parts(l, &r, err) : TACIT_OK;
}

/* ---- what is planned */

typedef struct planned {
    const tc_ledger *ledger;
    const tc_ledger_plan *plan;
    double delta;
    tacit_unit unit; /* a part of an agent, perhaps, where the plan is about agents */
    tacit_guarantee worst;
} planned;

static tacit_status add_plan(const planned *p, tc_ledger_spending *after, tacit_error *err)
{
    bool part = p->unit != p->plan->unit;
    for (size_t i = 0; i < p->plan->n; i++) {
        const tacit_dp_event *e = &p->plan->events[i];
        tacit_dp_event event = part ? tc_ledger_replacing(e) : *e;
        TC_TRY(tc_ledger_spending_ask(after, &p->plan->study, &event, 0, err));
    }
    after->distance += p->plan->distance;
    static const tacit_dp_event none = {.mechanism = TACIT_DP_NONPRIVATE};
    return after->several
               ? tc_ledger_add_planned(p->ledger, p->unit, &p->plan->study, &none, after, err)
               : TACIT_OK;
}

static tacit_status look_ahead(void *user, const tc_ledger_spending *s, tacit_error *err)
{
    planned *p = user;
    tc_ledger_spending after;
    tacit_guarantee g;
    TC_TRY(tc_ledger_spending_copy(&after, s, err));
    tacit_status status = add_plan(p, &after, err);
    if (status == TACIT_OK)
        status = tc_ledger_prove(NULL, &after, p->delta, &g, err);
    tc_ledger_spending_fini(&after);
    if (status == TACIT_OK && !(g.epsilon <= p->worst.epsilon))
        p->worst = g;
    return status;
}

tacit_status tc_ledger_after(const tc_ledger *l, const tc_ledger_plan *plan, double delta,
                             tacit_guarantee *out, tacit_error *err)
{
    planned p = {
        .ledger = l, .plan = plan, .delta = delta, .unit = plan->unit, .worst = {.epsilon = -1}};
    TC_TRY(tc_ledger_visit_subject(l, plan->unit, plan->subject, look_ahead, &p, err));
    for (int unit = TACIT_UNIT_ROW; plan->unit == TACIT_UNIT_AGENT && unit <= TC_UNIT_LAST;
         unit++) {
        p.unit = (tacit_unit)unit;
        if (tc_ledger_has_unit(l, p.unit))
            TC_TRY(tc_ledger_each_unit(l, p.unit, look_ahead, &p, err));
    }
    *out = p.worst;
    return TACIT_OK;
}

/* ---- the numbers of a refusal */

typedef struct pricing {
    const tc_ledger_budget *budget;
    double distance, most; /* most: epsilon of the worst off after the release */
    const tacit_dp_event *event;
    tc_ledger_price price;
} pricing;

static tacit_status price_both(const pricing *p, const tc_ledger_spending *s,
                               tc_ledger_spending *after, double *before, double *then,
                               tacit_error *err)
{
    const tc_ledger_budget *b = p->budget;
    tacit_guarantee was, is;
    TC_TRY(tc_ledger_spending_ask(after, study_of(b), p->event, p->distance, err));
    if (b->accountant && !(b->document && after->several)) {
        TC_TRY(tc_ledger_account(b->accountant, s, b->delta, &was, err));
        TC_TRY(tc_ledger_account(b->accountant, after, b->delta, &is, err));
    } else {
        TC_TRY(tc_ledger_prove(NULL, s, b->delta, &was, err));
        TC_TRY(tc_ledger_filter_bound(after, b->delta, &is, err));
    }
    *before = was.epsilon;
    *then = is.epsilon;
    return TACIT_OK;
}

static tacit_status price_one(void *user, const tc_ledger_spending *s, tacit_error *err)
{
    pricing *p = user;
    tc_ledger_spending after;
    double before, then;
    TC_TRY(tc_ledger_spending_copy(&after, s, err));
    tacit_status status = price_both(p, s, &after, &before, &then, err);
    tc_ledger_spending_fini(&after);
    if (status == TACIT_OK && then > p->most) {
        p->most = then;
        p->price = (tc_ledger_price){before, then - before};
    }
    return status;
}

tacit_status tc_ledger_price_of(const tc_ledger *l, const tc_ledger_budget *b, tacit_unit unit,
                                const char *subject, const tacit_dp_event *event, double distance,
                                tc_ledger_price *out, tacit_error *err)
{
    pricing p = {.budget = b, .distance = distance, .most = -1, .event = event};
    TC_TRY(tc_dp_event_check(event, err));
    TC_TRY(tc_ledger_visit_subject(l, unit, subject, price_one, &p, err));
    *out = p.price;
    return TACIT_OK;
}
