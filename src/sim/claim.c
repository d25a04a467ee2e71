/* claim.c - the price of what a simulation hides, if it were real. See claim.h. */
#include "sim/claim.h"

#include "base/error.h"
#include "privacy/statement.h"
#include "sim/answers.h"

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

static void claim_reply(tc_sim_claim *c, const tc_answer_cost *cost)
{
    c->epsilon = cost->epsilon;
    c->per = "reply";
    c->unit = TACIT_UNIT_USER;
    c->mechanism = cost->mechanism;
    c->noise_sd = cost->sd;
    tc_answer_cost_statement(cost, &c->promise);
}

static tacit_status claim_replies(tc_sim_claim *c, const tc_simulation *sim, tacit_error *err)
{
    tc_answers answers;
    tc_answer_cost cost;
    TC_TRY(tc_answers_init(&answers, sim->algorithm, sim->options, sim->reply, err));
    c->there = tc_answers_perturbed(&answers);
    tacit_status status = c->there ? tc_answers_cost(&answers, &cost, err) : TACIT_OK;
    if (status == TACIT_OK && c->there)
        claim_reply(c, &cost);
    tc_answers_fini(&answers);
    return status;
}

static tacit_status claim_release(tc_sim_claim *c, const tc_row_terms *t, tacit_error *err)
{
    tc_row_cost cost;
    tacit_guarantee bound;
    TC_TRY(tc_row_cost_of(t, &cost, err));
    c->there = true;
    c->none = cost.why_not;
    if (!cost.is_private)
        return TACIT_OK;
    bool pure = cost.delta == 0;
    TC_TRY(tc_ledger_cost(pure ? &tc_accountant_pure : &tc_accountant_pld, &cost.event, 1,
                          cost.distance, pure ? ANY_DELTA : cost.delta, &bound, err));
    c->epsilon = bound.epsilon;
    c->delta = bound.delta;
    c->per = "release";
    c->unit = TACIT_UNIT_ROW;
    c->mechanism = cost.mechanism;
    c->noise_sd = cost.input_sd;
    c->output_epsilon = t->output_epsilon;
    tc_statement_add(&c->promise, &bound, 1, TACIT_UNIT_ROW, TACIT_DP_ALL);
    tc_row_terms_caveats(t, &c->promise);
    return TACIT_OK;
}

/* The claim for the records of one party, over its whole study. */
static tacit_status claim_records(tc_sim_claim *c, const tc_record_noise *r, tacit_error *err)
{
    tacit_guarantee bound;
    TC_TRY(tc_record_noise_cost(r, &tc_accountant_pld, r->evaluations, &bound, err));
    c->there = true;
    c->epsilon = bound.epsilon;
    c->delta = bound.delta;
    c->per = "study";
    c->unit = TACIT_UNIT_RECORD;
    c->mechanism = "gaussian-value";
    c->noise_sd = tc_record_noise_sd(r, 0);
    tc_statement_add_bound(&c->promise, &bound, r->evaluations, c->unit);
    tc_record_noise_describe(r, &c->promise);
    tc_statement_add_scope(&c->promise, c->unit, TACIT_DP_ALL);
    return TACIT_OK;
}

tacit_status tc_sim_claim_init(tc_sim_claim *out, const tc_simulation *sim, tacit_error *err)
{
    tc_sim_claim c = {0};
    tacit_status status = sim->records   ? claim_records(&c, sim->records, err)
                          : sim->curated ? claim_release(&c, sim->curated, err)
                                         : claim_replies(&c, sim, err);
    if (status == TACIT_OK && c.promise.failed)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        *out = c;
    else
        tc_sim_claim_fini(&c);
    return status;
}

void tc_sim_claim_fini(tc_sim_claim *c)
{
    tc_text_fini(&c->promise);
    *c = (tc_sim_claim){0};
}

void tc_sim_claim_statement(const tc_sim_claim *c, tc_text *out)
{
    if (!c->there)
        return;
    tc_text_add(out, "NOT PRIVATE: seeded. ");
    if (c->none)
        tc_text_addf(out, "If deployed, there would be no guarantee either: %s.", c->none);
    else
        tc_text_addf(out, "If deployed: %s", tc_text_get(&c->promise));
}
