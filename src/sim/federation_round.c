/* federation_round.c - the rounds of a federation in lockstep (federation.h).
 *
 * What a coordinator does with messages: lose those that the network loses, check the others, then close the
 * round as a coordinator does (aggregator, algo/close_round.h) or keep them to be handed on (relay). A message
 * that is refused counts as one that never came. */
#include "algo/close_round.h"
#include "base/error.h"
#include "base/memory.h"
#include "sim/federation_int.h"

#include <inttypes.h>

static const void *options(const tc_federation *f)
{
    return tc_optimizer_options(f->members[0].o);
}

/* ---- the agents ---- */

static tacit_status publish(tc_federation *f, uint64_t i, tacit_error *err)
{
    tc_member *m = &f->members[i];
    tc_need need;
    tc_event e;
    TC_TRY(tc_optimizer_need(m->o, &need, err));
    m->publishes = need.may & TC_NEED_PUBLISH && need.round == f->round.number;
    if (!m->publishes)
        return TACIT_OK;
    TC_TRY(tc_optimizer_publish(m->o, 0, &e, err));
    m->message.len = 0;
    tc_text_add_bytes(&m->message, e.bytes, e.n_bytes);
    if (m->message.failed)
        return tc_fail_memory(err);
    return tc_optimizer_apply(m->o, &e, err);
}

static tacit_status end_round(tc_federation *f, uint64_t i, tacit_error *err)
{
    const tc_lockstep *r = &f->round;
    tc_member *m = &f->members[i];
    tc_event e;
    if (!m->publishes)
        return TACIT_OK;
    if (r->is_void)
        TC_TRY(tc_optimizer_skip(m->o, r->number, r->why.msg, 0, &e, err));
    else
        TC_TRY(tc_optimizer_absorb(m->o, r->number, r->receipt.bytes, r->receipt.size, 0, &e, err));
    return tc_optimizer_apply(m->o, &e, err);
}

/* ---- messages at the coordinator ---- */

bool tc_federation_lost(const tc_federation *f, uint64_t agent)
{
    tc_stream s;
    if (f->cfg.lost)
        return f->cfg.lost(f->cfg.user, f->round.number, agent);
    if (f->cfg.drop == 0)
        return false;
    tc_stream_public(&s, &f->env.public_seed, TC_FOR_RUN, f->round.number * f->cfg.agents + agent);
    return tc_draw_uniform(&s) < f->cfg.drop;
}

static tacit_status check(const tc_federation *f, uint64_t agent, tacit_error *err)
{
    const tc_algorithm *a = f->cfg.algorithm;
    const tc_text *t = &f->members[agent].message;
    return (a->relay ? a->relay->check : a->aggregator->check)(&f->env, options(f), f->round.number,
                                                               agent, tc_text_get(t), t->len, err);
}

tacit_status tc_federation_reject(tc_federation *f, uint64_t agent, const char *why,
                                  tacit_error *err)
{
    tc_text t = {0};
    f->tally.rejected++;
    if (f->rejection)
        return TACIT_OK;
    tc_text_addf(&t, "agent %" PRIu64 " in round %" PRIu64 ": %s", agent, f->round.number, why);
    f->rejection = tc_text_take(&t);
    return f->rejection ? TACIT_OK : tc_fail_memory(err);
}

/* Is there a message of this agent, did it arrive, and is it well-formed? */
static tacit_status receive(tc_federation *f, uint64_t agent, tacit_error *err)
{
    tc_member *m = &f->members[agent];
    tacit_error why = {0};
    m->received = false;
    if (!m->publishes)
        return TACIT_OK;
    if (tc_federation_lost(f, agent)) {
        f->tally.lost++;
        return TACIT_OK;
    }
    tacit_status status = check(f, agent, &why);
    if (status == TACIT_E_ARG)
        return tc_federation_reject(f, agent, why.msg, err);
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    m->received = true;
    return TACIT_OK;
}

static tacit_status receive_all(tc_federation *f, tacit_error *err)
{
    for (uint64_t i = 0; i < f->cfg.agents; i++) {
        TC_TRY(tc_federation_goes_on(f, err));
        TC_TRY(receive(f, i, err));
    }
    return TACIT_OK;
}

/* ---- a relay ---- */

static tacit_status encode(const tc_release *r, tc_text *out, tacit_error *err)
{
    size_t size = tc_release_size(r);
    uint8_t *bytes = tc_alloc(size, 1);
    if (!bytes)
        return tc_fail_memory(err);
    tc_release_encode(r, bytes);
    out->len = 0;
    tc_text_add_bytes(out, bytes, size);
    tc_free(bytes);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

tacit_status tc_federation_keep(tc_federation *f, uint64_t agent, uint64_t round, tacit_error *err)
{
    tc_member *m = &f->members[agent];
    tc_release *r = NULL;
    TC_TRY(f->cfg.algorithm->relay->release(&f->env, options(f), round, agent,
                                            tc_text_get(&m->message), m->message.len, &r, err));
    tacit_status status = encode(r, &m->handed, err);
    tc_release_free(r);
    m->kept = status == TACIT_OK;
    m->kept_round = round;
    return status;
}

static tacit_status keep_all(tc_federation *f, tacit_error *err)
{
    for (uint64_t i = 0; i < f->cfg.agents; i++) {
        TC_TRY(tc_federation_goes_on(f, err));
        if (f->members[i].received)
            TC_TRY(tc_federation_keep(f, i, f->round.number, err));
    }
    return TACIT_OK;
}

/* ---- an aggregator ---- */

tacit_status tc_federation_budget(const tc_federation *f, double epsilon, double delta,
                                  tc_ledger_budget *out, tacit_error *err)
{
    return tc_round_budget(f->cfg.algorithm, &f->env, options(f), epsilon, delta, out, err);
}

static tacit_status add_messages(void *user, tc_round_sum *sum, tacit_error *err)
{
    tc_federation *f = user;
    for (uint64_t i = 0; i < f->cfg.agents; i++) {
        const tc_member *m = &f->members[i];
        TC_TRY(tc_federation_goes_on(f, err));
        if (m->received)
            TC_TRY(tc_round_add(sum, i, tc_text_get(&m->message), m->message.len, err));
    }
    return TACIT_OK;
}

static tacit_status leave_out(void *user, uint64_t agent, const char *why, tacit_error *err)
{
    return tc_federation_reject(user, agent, why, err);
}

/* Where records are protected, messages are private before they are sent and a coordinator's entry has no cost
 * (`already_private`). Here the entry has the price of the algorithm's own noise; what records pay is reported by
 * record_noise.c. */
static tacit_status release_round(tc_federation *f, tc_ledger_receipt *out, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    tc_closing closing = {.algorithm = c->algorithm,
                          .env = &f->env,
                          .opts = options(f),
                          .study = c->study,
                          .round = f->round.number,
                          .charge = tc_round_charge_of(c->algorithm, options(f), f->round.number),
                          .limit = c->limit,
                          .ledger = f->ledger,
                          .test_seed = &c->seed,
                          .messages = add_messages,
                          .left_out = leave_out,
                          .release = c->trustees.count > 0 ? tc_federation_open_shared : NULL,
                          .user = f};
    TC_TRY(
        tc_round_price_of(c->algorithm, &f->env, options(f), f->round.number, &closing.price, err));
    return tc_close_round(&closing, out, err);
}

static tacit_status note_release(tc_federation *f, tacit_error *err)
{
    const tc_ledger_receipt *receipt = &f->round.receipt;
    const tc_ledger_entry *e = tc_ledger_get(f->ledger, receipt->head.seq, NULL);
    size_t n = (size_t)f->tally.releases;
    if (!tc_grow((void **)&f->releases, &f->releases_cap, n + 1, sizeof *f->releases))
        return tc_fail_memory(err);
    f->releases[n] = (tacit_simulated_release){.round = f->round.number,
                                               .trials = tc_optimizer_trials(f->members[0].o),
                                               .event = e->event,
                                               .distance = e->distance,
                                               .unit = e->unit};
    f->tally.releases++;
    f->tally.broadcast_bytes = receipt->size;
    return TACIT_OK;
}

/* A round that the budget or the algorithm refuses is void: all agents skip it, as with a coordinator. */
static tacit_status close_or_skip(tc_federation *f, tacit_error *err)
{
    tc_lockstep *r = &f->round;
    tc_ledger_receipt_fini(&r->receipt);
    tacit_status status = release_round(f, &r->receipt, &r->why);
    r->is_void = status == TACIT_E_BUDGET || status == TACIT_E_STATE;
    f->tally.refusals += status == TACIT_E_BUDGET;
    if (!r->is_void) {
        TC_TRY(tc_pass_on(err, status, &r->why));
        TC_TRY(note_release(f, err));
    }
    return tc_federation_each(f, end_round, err);
}

/* ---- rounds ---- */

tacit_status tc_federation_release_ahead(const tc_federation *f, bool *out, tacit_error *err)
{
    const tc_aggregator_ops *ops = f->cfg.algorithm->aggregator;
    uint64_t next = 0, from = f->round.began ? f->round.number + 1 : 0;
    if (ops && ops->next_round)
        TC_TRY(ops->next_round(&f->env, options(f), from, &next, err));
    *out = ops && next != TC_NO_ROUND;
    return TACIT_OK;
}

/* A round that comes although some agents have stopped would lack their messages. */
static tacit_status check_active(const tc_federation *f, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    if (f->active == c->agents || (c->past > 0 && f->round.number == 0))
        return TACIT_OK;
    if (c->algorithm->relay)
        return tc_fail(err, TACIT_E_ARG,
                       "agents of %s read messages of later rounds: acting must be 0, got %" PRIu64,
                       c->algorithm->name, c->acting);
    return tc_fail(err, TACIT_E_INTERNAL, "%s opens a round after its last one",
                   c->algorithm->name);
}

/* All agents have seen as many trials: the first speaks for all. */
static tacit_status find_round(tc_federation *f, tacit_error *err)
{
    tc_lockstep *r = &f->round;
    tc_need need;
    TC_TRY(tc_optimizer_need(f->members[0].o, &need, err));
    r->open = need.may & TC_NEED_PUBLISH;
    if (!r->open)
        return TACIT_OK;
    if (r->began && need.round <= r->number)
        return tc_fail(err, TACIT_E_INTERNAL, "%s opens round %" PRIu64 " after round %" PRIu64,
                       f->cfg.algorithm->name, need.round, r->number);
    r->began = true;
    r->number = need.round;
    return TACIT_OK;
}

/* What leaves an agent is its message, or shares of it. */
static tacit_status count_messages(tc_federation *f, tacit_error *err)
{
    uint64_t upload = 0;
    if (f->cfg.trustees.count > 0)
        TC_TRY(tc_federation_upload(f, &upload, err));
    for (uint64_t i = 0; i < f->cfg.agents; i++)
        if (f->members[i].publishes) {
            f->tally.messages++;
            f->tally.bytes += upload > 0 ? upload : f->members[i].message.len;
        }
    return TACIT_OK;
}

static tacit_status run_round(tc_federation *f, tacit_error *err)
{
    TC_TRY(check_active(f, err));
    TC_TRY(tc_federation_each(f, publish, err));
    if (f->cfg.past > 0 && f->round.number == 0) /* the former selves have spoken */
        return TACIT_OK;
    TC_TRY(count_messages(f, err));
    TC_TRY(receive_all(f, err));
    if (f->cfg.algorithm->relay)
        return keep_all(f, err);
    TC_TRY(close_or_skip(f, err));
    return tc_federation_choose_active(f, err);
}

tacit_status tc_federation_rounds(tc_federation *f, tacit_error *err)
{
    for (;;) {
        TC_TRY(find_round(f, err));
        if (!f->round.open)
            return TACIT_OK;
        tacit_error why = {0};
        tacit_status status = run_round(f, &why);
        if (status != TACIT_OK)
            return tc_fail(err, status, "round %" PRIu64 ": %.400s", f->round.number, why.msg);
    }
}
