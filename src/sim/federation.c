/* federation.c - rounds in lockstep. See federation.h. */
#include "sim/federation.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <string.h>

typedef struct member {
    tc_optimizer *o;
    tc_text message; /* of the round that is open */
    bool publishes;
    tacit_status status;
    tacit_error err;
} member;

/* How the round that is open ended. */
typedef struct outcome {
    bool open, refused;
    uint64_t round;
    uint8_t *bytes;
    size_t size;
    tacit_error why;
} outcome;

struct tc_federation {
    tc_federation_config cfg;
    tc_env env; /* what a coordinator knows */
    member *members;
    outcome round;
    tc_federation_tally tally;
};

/* ---- birth and end ---- */

static tacit_status add_member(tc_federation *f, uint64_t i, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    tc_optimizer_config cfg = {.algorithm = c->algorithm,
                               .options = c->options,
                               .space = c->space,
                               .maximize = c->maximize,
                               .public_seed = f->env.public_seed,
                               .party_seed = tc_party_seed_from(c->seed),
                               .party = i,
                               .agents = c->agents,
                               .budget = c->budget,
                               .sibling = i > 0 ? f->members[0].o : NULL};
    return tc_optimizer_new(&f->members[i].o, &cfg, err);
}

static tacit_status build(tc_federation *f, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    if (!c->algorithm->aggregator)
        return tc_fail(err, TACIT_E_UNSUPPORTED, "%s is not a federated algorithm",
                       c->algorithm->name);
    if (c->agents == 0 || c->agents > 1u << 24)
        return tc_fail(err, TACIT_E_ARG, "agents must be in 1..2^24, got %llu",
                       (unsigned long long)c->agents);
    f->env = (tc_env){.space = c->space,
                      .public_seed = tc_public_seed_from(c->seed),
                      .agents = c->agents,
                      .budget = c->budget};
    f->members = tc_alloc((size_t)c->agents, sizeof *f->members);
    if (!f->members)
        return tc_fail_memory(err);
    for (uint64_t i = 0; i < c->agents; i++)
        TC_TRY(add_member(f, i, err));
    return TACIT_OK;
}

tacit_status tc_federation_new(tc_federation **out, const tc_federation_config *cfg,
                               tacit_error *err)
{
    tc_federation *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    f->cfg = *cfg;
    tacit_status status = build(f, err);
    if (status != TACIT_OK) {
        tc_federation_free(f);
        return status;
    }
    *out = f;
    return TACIT_OK;
}

void tc_federation_free(tc_federation *f)
{
    if (!f)
        return;
    for (uint64_t i = 0; f->members && i < f->cfg.agents; i++) {
        tc_optimizer_free(f->members[i].o);
        tc_text_fini(&f->members[i].message);
    }
    tc_free(f->members);
    tc_free(f->round.bytes);
    tc_free(f);
}

/* ---- the agents, each in some thread ---- */

static tacit_status first_failure(const tc_federation *f, tacit_error *err)
{
    for (uint64_t i = 0; i < f->cfg.agents; i++)
        if (f->members[i].status != TACIT_OK)
            return tc_fail(err, f->members[i].status, "agent %llu: %.300s", (unsigned long long)i,
                           f->members[i].err.msg);
    return TACIT_OK;
}

static tacit_status publish(const tc_federation *f, member *m)
{
    tc_need need;
    tc_event e;
    TC_TRY(tc_optimizer_need(m->o, &need, &m->err));
    m->publishes = need.may & TC_NEED_PUBLISH && need.round == f->round.round;
    if (!m->publishes)
        return TACIT_OK;
    TC_TRY(tc_optimizer_publish(m->o, 0, &e, &m->err));
    m->message.len = 0;
    tc_text_add_bytes(&m->message, e.bytes, e.n_bytes);
    if (m->message.failed)
        return tc_fail_memory(&m->err);
    return tc_optimizer_apply(m->o, &e, &m->err);
}

static tacit_status end_round(const tc_federation *f, member *m)
{
    const outcome *r = &f->round;
    tc_event e;
    if (!r->open || !m->publishes)
        return TACIT_OK;
    if (r->refused)
        TC_TRY(tc_optimizer_skip(m->o, r->round, r->why.msg, 0, &e, &m->err));
    else
        TC_TRY(tc_optimizer_absorb(m->o, r->round, r->bytes, r->size, 0, &e, &m->err));
    return tc_optimizer_apply(m->o, &e, &m->err);
}

static tacit_status run_trial(const tc_federation *f, uint64_t i, member *m)
{
    tc_ask_request req = {0};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(m->o, &req, &e, &m->err));
        TC_TRY(tc_optimizer_apply(m->o, &e, &m->err));
    } while (e.kind != TC_EVENT_ASK);
    double y = f->cfg.objective(f->cfg.user, i, e.trial, tc_optimizer_trial(m->o, e.trial)->values);
    TC_TRY(tc_optimizer_tell(m->o, e.trial, NULL, y, 0, &e, &m->err));
    return tc_optimizer_apply(m->o, &e, &m->err);
}

static void publish_one(void *ctx, size_t i)
{
    tc_federation *f = ctx;
    f->members[i].status = publish(f, &f->members[i]);
}

static void advance_one(void *ctx, size_t i)
{
    tc_federation *f = ctx;
    member *m = &f->members[i];
    m->status = end_round(f, m);
    if (m->status == TACIT_OK)
        m->status = run_trial(f, i, m);
}

/* ---- the coordinator ---- */

static const void *options(const tc_federation *f)
{
    return tc_optimizer_options(f->members[0].o);
}

/* Would the ledger let it pass? Asked before any noise is drawn. */
static tacit_status check_budget(const tc_federation *f, tacit_error *err)
{
    tc_text text = {0};
    json_t *j = NULL;
    tc_dp_event event;
    tacit_status status =
        f->cfg.algorithm->aggregator->plan(&f->env, options(f), f->round.round, &text, err);
    if (status == TACIT_OK)
        status = tc_json_parse(tc_text_get(&text), text.len, "event", &j, err);
    if (status == TACIT_OK)
        status = tc_dp_event_from_json(&event, j, err);
    if (status == TACIT_OK && f->cfg.ledger && f->cfg.limit)
        status = tc_ledger_would(f->cfg.ledger, f->cfg.limit, TC_UNIT_AGENT, NULL, &event, 0, err);
    json_decref(j);
    tc_text_fini(&text);
    return status;
}

static bool arrives(const tc_federation *f, uint64_t agent)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(f->cfg.seed);
    if (f->cfg.drop == 0)
        return true;
    tc_stream_public(&s, &seed, TC_FOR_RUN, f->round.round * f->cfg.agents + agent);
    return tc_draw_uniform(&s) >= f->cfg.drop;
}

static tacit_status fold_all(tc_federation *f, void *state, tacit_error *err)
{
    const tc_aggregator_ops *ops = f->cfg.algorithm->aggregator;
    for (uint64_t i = 0; i < f->cfg.agents; i++) {
        const member *m = &f->members[i];
        if (!m->publishes)
            continue;
        f->tally.messages++;
        f->tally.bytes += m->message.len;
        if (arrives(f, i))
            TC_TRY(ops->fold(state, i, tc_text_get(&m->message), m->message.len, err));
    }
    return TACIT_OK;
}

/* The bytes that leave: through the ledger where there is one. */
static tacit_status let_out(tc_federation *f, const tc_release *r, tacit_error *err)
{
    outcome *out = &f->round;
    if (f->cfg.ledger) {
        tc_ledger_charge charge = {.study = f->cfg.study, .round = out->round};
        tc_ledger_receipt receipt;
        TC_TRY(tc_ledger_release(f->cfg.ledger, f->cfg.limit, &charge, r, &receipt, err));
        out->bytes = receipt.bytes;
        out->size = receipt.size;
        return TACIT_OK;
    }
    uint8_t *bytes = tc_alloc(tc_release_size(r), 1);
    if (!bytes)
        return tc_fail_memory(err);
    tc_release_encode(r, bytes);
    out->bytes = bytes;
    out->size = tc_release_size(r);
    return TACIT_OK;
}

static tacit_status aggregate(tc_federation *f, void *state, tacit_error *err)
{
    const tc_aggregator_ops *ops = f->cfg.algorithm->aggregator;
    tc_test_noise noise;
    tc_release *release = NULL;
    tc_test_noise_init(&noise, f->cfg.seed, f->round.round);
    tc_entropy entropy = tc_entropy_of_test(&noise);
    TC_TRY(ops->open(state, &f->env, options(f), f->round.round, &entropy, err));
    TC_TRY(fold_all(f, state, err));
    TC_TRY(ops->close(state, &release, err));
    tacit_status status = let_out(f, release, err);
    tc_release_free(release);
    return status;
}

static tacit_status close_round(tc_federation *f, tacit_error *err)
{
    const tc_aggregator_ops *ops = f->cfg.algorithm->aggregator;
    TC_TRY(check_budget(f, err));
    void *state = tc_alloc(ops->state_size, 1);
    if (!state)
        return tc_fail_memory(err);
    tacit_status status = aggregate(f, state, err);
    ops->fini(state);
    tc_free(state);
    return status;
}

/* A refusal by the budget is an outcome, not a failure. */
static tacit_status settle(tc_federation *f, tacit_error *err)
{
    tc_free(f->round.bytes);
    f->round.bytes = NULL;
    tacit_status status = close_round(f, &f->round.why);
    f->round.refused = status == TACIT_E_BUDGET;
    if (status == TACIT_OK) {
        f->tally.releases++;
        f->tally.broadcast_bytes = f->round.size;
    } else if (f->round.refused) {
        f->tally.refusals++;
    } else {
        return tc_fail(err, status, "round %llu: %.300s", (unsigned long long)f->round.round,
                       f->round.why.msg);
    }
    return TACIT_OK;
}

/* ---- a step ---- */

/* All agents have seen as many trials: the first speaks for all. */
static tacit_status find_round(tc_federation *f, tacit_error *err)
{
    tc_need need;
    TC_TRY(tc_optimizer_need(f->members[0].o, &need, err));
    f->round.open = need.may & TC_NEED_PUBLISH;
    f->round.round = need.round;
    return TACIT_OK;
}

tacit_status tc_federation_step(tc_federation *f, tacit_error *err)
{
    size_t n = (size_t)f->cfg.agents;
    TC_TRY(find_round(f, err));
    if (f->round.open) {
        tc_pool_for(f->cfg.pool, n, publish_one, f);
        TC_TRY(first_failure(f, err));
        TC_TRY(settle(f, err));
    }
    tc_pool_for(f->cfg.pool, n, advance_one, f);
    return first_failure(f, err);
}

const tc_optimizer *tc_federation_agent(const tc_federation *f, uint64_t agent)
{
    return agent < f->cfg.agents ? f->members[agent].o : NULL;
}

const tc_federation_tally *tc_federation_counts(const tc_federation *f)
{
    return &f->tally;
}
