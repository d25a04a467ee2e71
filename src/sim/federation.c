/* federation.c - a federation's birth, end and view. Its rounds are in federation_round.c, its
 * trials in federation_trial.c. See federation.h. */
#include "sim/federation_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>

enum { MOST_AGENTS = 1 << 24, MOST_PAST = 1000000, CHUNK = 32 };

/* ---- birth and end ---- */

/* Agent i of an algorithm for one party: a study of its own, with a seed of its own. */
static uint64_t own_seed(uint64_t seed, uint64_t i)
{
    tc_public_seed root = tc_public_seed_from(seed);
    tc_stream s;
    if (i == 0)
        return seed;
    tc_stream_public(&s, &root, TC_FOR_RUN, i);
    return tc_draw_u64(&s);
}

static tacit_status add_member(tc_federation *f, uint64_t i, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    bool federated = tc_algorithm_federated(c->algorithm);
    uint64_t seed = federated ? c->seed : own_seed(c->seed, i);
    bool party = federated || c->paired;
    tc_optimizer_config cfg = {.algorithm = c->algorithm,
                               .options = c->options,
                               .space = c->space,
                               .maximize = c->maximize,
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(party ? c->seed : seed),
                               .party = party ? i : 0,
                               .agents = federated ? c->agents : 0,
                               .trustees = c->trustees,
                               .budget = c->budget,
                               .sibling = federated && i > 0 ? f->members[0].o : NULL};
    return tc_optimizer_new(&f->members[i].o, &cfg, err);
}

static tacit_status check_acting(const tc_federation_config *c, tacit_error *err)
{
    bool read = c->algorithm->relay && c->past == 0; /* what the others know now */
    if (c->acting > c->agents)
        return tc_fail(err, TACIT_E_ARG, "acting must be in 0..%" PRIu64 ", got %" PRIu64,
                       c->agents, c->acting);
    if (c->acting < c->agents && read)
        return tc_fail(
            err, TACIT_E_ARG,
            "agents of %s read messages of all others: acting must be 0 where there is no "
            "past, got %" PRIu64,
            c->algorithm->name, c->acting);
    return TACIT_OK;
}

static tacit_status check(const tc_federation_config *c, tacit_error *err)
{
    if (c->agents == 0 || c->agents > MOST_AGENTS)
        return tc_fail(err, TACIT_E_ARG, "agents must be in 1..2^24, got %" PRIu64, c->agents);
    if (!(c->drop >= 0 && c->drop <= 1))
        return tc_fail(err, TACIT_E_ARG, "drop must be in [0, 1], got %g", c->drop);
    if (c->past > 0 && !c->algorithm->relay)
        return tc_fail(err, TACIT_E_ARG,
                       "past trials are for algorithms that hand messages on; %s is none of them",
                       c->algorithm->name);
    if (c->past > MOST_PAST)
        return tc_fail(err, TACIT_E_ARG, "past must be in 0..%d, got %" PRIu64, (int)MOST_PAST,
                       c->past);
    if (c->trustees.count > 0 && !(c->algorithm->aggregator && c->algorithm->aggregator->shared))
        return tc_fail(err, TACIT_E_ARG, "the sums of %s cannot be shared among trustees",
                       c->algorithm->name);
    if (c->chunk > TC_CHUNK_MOST)
        return tc_fail(err, TACIT_E_ARG, "chunk must be in 0..%d, got %zu", (int)TC_CHUNK_MOST,
                       c->chunk);
    return check_acting(c, err);
}

/* As many of n agents as are worth asking together, but some for every thread. */
static size_t choose_chunk(const tc_federation_config *c, uint64_t n)
{
    size_t threads = tc_pool_threads(c->pool);
    size_t share = ((size_t)n + threads - 1) / threads;
    if (c->chunk > 0)
        return c->chunk;
    return share < CHUNK ? share : CHUNK;
}

static size_t count_chunks(const tc_federation_config *c, uint64_t n)
{
    size_t chunk = choose_chunk(c, n);
    return ((size_t)n + chunk - 1) / chunk;
}

tacit_status tc_federation_choose_active(tc_federation *f, tacit_error *err)
{
    bool ahead = false;
    if (f->cfg.acting < f->cfg.agents)
        TC_TRY(tc_federation_release_ahead(f, &ahead, err));
    f->active = ahead ? f->cfg.agents : f->cfg.acting;
    f->chunk = choose_chunk(&f->cfg, f->active);
    f->n_chunks = count_chunks(&f->cfg, f->active);
    return TACIT_OK;
}

static tacit_status allocate(tc_federation *f, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    size_t all = count_chunks(c, c->agents), some = count_chunks(c, c->acting);
    f->members = tc_alloc((size_t)c->agents, sizeof *f->members);
    f->failures = tc_alloc(all > some ? all : some, sizeof *f->failures);
    return f->members && f->failures ? TACIT_OK : tc_fail_memory(err);
}

/* A simulation that is given no ledger has no limit and reads none, but rounds are closed over a ledger: here in memory. */
static tacit_status open_ledger(tc_federation *f, tacit_error *err)
{
    tc_ledger_io io;
    f->ledger = f->cfg.ledger;
    if (f->ledger || !f->cfg.algorithm->aggregator)
        return TACIT_OK;
    TC_TRY(tc_store_open(&f->own_store, "memory:", true, err));
    TC_TRY(tc_store_ledger(f->own_store, "simulation", true, &io, err));
    TC_TRY(tc_ledger_open(&f->own_ledger, "simulation", &io, err));
    f->ledger = f->own_ledger;
    return TACIT_OK;
}

static tacit_status build(tc_federation *f, tacit_error *err)
{
    const tc_federation_config *c = &f->cfg;
    TC_TRY(check(c, err));
    f->env = (tc_env){.space = c->space,
                      .public_seed = tc_public_seed_from(c->seed),
                      .agents = c->agents,
                      .trustees = c->trustees,
                      .budget = c->budget};
    TC_TRY(allocate(f, err));
    TC_TRY(open_ledger(f, err));
    for (uint64_t i = 0; i < c->agents; i++) {
        TC_TRY(tc_federation_goes_on(f, err));
        TC_TRY(add_member(f, i, err));
    }
    TC_TRY(tc_federation_choose_active(f, err));
    return c->past > 0 ? tc_federation_past(f, err) : TACIT_OK;
}

tacit_status tc_federation_new(tc_federation **out, const tc_federation_config *cfg,
                               tacit_error *err)
{
    tc_federation *f = tc_alloc(1, sizeof *f);
    if (!f)
        return tc_fail_memory(err);
    f->cfg = *cfg;
    if (f->cfg.acting == 0)
        f->cfg.acting = f->cfg.agents;
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
        tc_text_fini(&f->members[i].handed);
    }
    tc_free(f->members);
    tc_free(f->failures);
    tc_ledger_receipt_fini(&f->round.receipt);
    tc_ledger_close(f->own_ledger);
    tc_store_close(f->own_store);
    tc_free(f->releases);
    tc_free(f->rejection);
    tc_free(f);
}

/* ---- agents in parallel ---- */

tacit_status tc_federation_goes_on(const tc_federation *f, tacit_error *err)
{
    if (f->cfg.stopped && f->cfg.stopped(f->cfg.user))
        return tc_fail(err, TACIT_E_CANCELLED, "the federation was told to stop");
    return TACIT_OK;
}

typedef struct sweep {
    tc_federation *f;
    tc_member_body body;
} sweep;

static void sweep_chunk(void *ctx, size_t c)
{
    const sweep *s = ctx;
    tc_federation *f = s->f;
    tacit_error *err = &f->failures[c];
    uint64_t end = (c + 1) * f->chunk < f->active ? (c + 1) * f->chunk : f->active;
    for (uint64_t i = c * f->chunk; i < end; i++) {
        if (tc_federation_goes_on(f, err) != TACIT_OK)
            return;
        if (s->body(f, i, err) != TACIT_OK) {
            (void)tc_fail_in(err, "agent %" PRIu64, i);
            return;
        }
    }
}

tacit_status tc_federation_failure(const tc_federation *f, tacit_error *err)
{
    for (size_t c = 0; c < f->n_chunks; c++)
        if (f->failures[c].code != TACIT_OK)
            return tc_fail(err, f->failures[c].code, "%s", f->failures[c].msg);
    return TACIT_OK;
}

tacit_status tc_federation_each(tc_federation *f, tc_member_body body, tacit_error *err)
{
    sweep s = {.f = f, .body = body};
    tc_pool_for(f->cfg.pool, f->n_chunks, sweep_chunk, &s);
    return tc_federation_failure(f, err);
}

/* ---- what is known before the first step ---- */

static tacit_status import(tc_optimizer *o, const double *values, double value, tacit_error *err)
{
    tc_event e;
    TC_TRY(tc_optimizer_enqueue(o, values, 0, &e, err));
    TC_TRY(tc_optimizer_apply(o, &e, err));
    TC_TRY(tc_optimizer_tell(o, e.trial, NULL, value, 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

tacit_status tc_federation_know(tc_federation *f, uint64_t agent, const double *values,
                                double value, tacit_error *err)
{
    if (f->stepped)
        return tc_fail(err, TACIT_E_STATE, "trials can be given before the first step alone");
    if (agent >= f->cfg.agents)
        return tc_fail(err, TACIT_E_ARG, "there is no agent %" PRIu64 " among %" PRIu64, agent,
                       f->cfg.agents);
    tacit_error why = {0};
    tacit_status status = import(f->members[agent].o, values, value, &why);
    if (status != TACIT_OK)
        return tc_fail(err, status, "agent %" PRIu64 ": %.400s", agent, why.msg);
    return TACIT_OK;
}

/* Rounds are counted in trials, so lockstep needs all agents at the same number. */
static tacit_status check_known(const tc_federation *f, tacit_error *err)
{
    size_t first = tc_optimizer_trials(f->members[0].o);
    for (uint64_t i = 1; i < f->cfg.agents; i++) {
        size_t n = tc_optimizer_trials(f->members[i].o);
        if (n != first)
            return tc_fail(err, TACIT_E_ARG,
                           "agent %" PRIu64 " begins with %zu trials and agent 0 with %zu; all "
                           "must begin with as many",
                           i, n, first);
    }
    return TACIT_OK;
}

/* ---- a step ---- */

tacit_status tc_federation_step(tc_federation *f, tacit_error *err)
{
    if (!f->stepped)
        TC_TRY(check_known(f, err));
    f->stepped = true;
    if (tc_algorithm_federated(f->cfg.algorithm))
        TC_TRY(tc_federation_rounds(f, err));
    return tc_federation_trials(f, err);
}

/* ---- looking ---- */

const tc_optimizer *tc_federation_agent(const tc_federation *f, uint64_t agent)
{
    return agent < f->cfg.agents ? f->members[agent].o : NULL;
}

const tacit_message_counts *tc_federation_counts(const tc_federation *f)
{
    return &f->tally;
}

const tacit_simulated_release *tc_federation_releases(const tc_federation *f, size_t *n)
{
    *n = (size_t)f->tally.releases;
    return f->releases;
}

const char *tc_federation_rejection(const tc_federation *f)
{
    return f->rejection;
}
