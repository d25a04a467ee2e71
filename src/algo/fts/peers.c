/* peers.c - the rounds of an agent that reads the posteriors of all others. See peers.h. */
#include "algo/fts/peers.h"

#include "algo/single/design.h"
#include "base/error.h"

#include <inttypes.h>

/* ---- birth and end ---- */

static void take_arrays(tc_peers *p)
{
    tc_arena *a = &p->core.memory;
    size_t M = p->core.features->rff.M, n = p->agents;
    p->peer = TC_TAKE(a, n, tc_peer);
    p->weight = TC_TAKE(a, n, double);
    p->active = TC_TAKE(a, n, size_t);
    p->mean = TC_TAKE(a, n, double);
    p->var = TC_TAKE(a, n, double);
    p->d_mean = TC_TAKE(a, n, double);
    p->d_var = TC_TAKE(a, n, double);
    p->numbers = TC_TAKE(a, 1 + M + tc_peers_triangle(p), double);
    p->A = TC_TAKE(a, M * M, double);
    p->product = TC_TAKE(a, M * TC_PEERS_BLOCK, double);
    p->phi = TC_TAKE(a, M, double);
    p->Sphi = TC_TAKE(a, M, double);
}

tacit_status tc_peers_init(tc_peers *p, const tc_peers_kind *kind, const tc_env *env,
                           const tc_fts_common *common, const void *opts, tacit_error *err)
{
    p->kind = kind;
    p->opts = opts;
    /* One that works alone is on no roster, and keeps its own model under its number all the same. */
    p->agents = (size_t)(env->agents > env->party ? env->agents : env->party + 1);
    TC_TRY(tc_fts_core_init(&p->core, env, common, err));
    TC_TRY(tc_posterior_cache_join(p, err));
    take_arrays(p);
    return p->core.memory.failed ? tc_fail_memory(err) : tc_peers_search_init(p, err);
}

void tc_peers_fini(void *st)
{
    tc_peers *p = st;
    for (size_t i = 0; p->peer && i < p->agents; i++)
        tc_peer_drop(&p->peer[i]);
    tc_posterior_cache_leave(p->cache);
    tc_free(p->y);
    tc_free(p->at_mean);
    tc_free(p->at_var);
    tc_fts_core_fini(&p->core);
}

/* ---- rounds ---- */

void tc_peers_need(const void *st, tc_need *out)
{
    const tc_peers *p = st;
    bool reads = tc_fts_federated(&p->core) && p->core.due == TC_FTS_NEVER && p->reads < p->agents;
    if (tc_fts_publishes(&p->core))
        *out = (tc_need){.may = TC_NEED_PUBLISH, .round = p->core.due};
    else if (reads)
        *out = (tc_need){.must = TC_NEED_FETCH, .party = p->reads};
    else
        *out = (tc_need){.may = TC_NEED_TRIAL};
}

tacit_status tc_peers_publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    const tc_peers *p = st;
    size_t first;
    tc_fts_form form = p->kind->form(p->opts, &first);
    form.round = round;
    TC_TRY(tc_peers_compose(p, err));
    tc_fts_message_write(&form, p->numbers + first, out);
    return TACIT_OK;
}

/* Nobody reads itself. */
static void go_on_from(tc_peers *p, uint64_t agent)
{
    p->reads = agent == p->core.env->party ? agent + 1 : agent;
}

tacit_status tc_peers_published(void *st, uint64_t round, tacit_error *err)
{
    tc_peers *p = st;
    TC_TRY(tc_fts_check_publish(&p->core, round, err));
    p->core.due = TC_FTS_NEVER;
    go_on_from(p, 0);
    return TACIT_OK;
}

tacit_status tc_peers_fetched(void *st, uint64_t round, uint64_t party, const void *bytes, size_t n,
                              tacit_error *err)
{
    tc_peers *p = st;
    size_t first;
    tc_fts_form form = p->kind->form(p->opts, &first);
    form.round = round;
    TC_TRY(tc_fts_relayed_read(&form, party, bytes, n, p->numbers + first, err));
    if (p->kind->arrange) {
        p->kind->arrange(p, party);
        TC_TRY(tc_peers_take(p, party, p->kind->certain, err));
    } else {
        TC_TRY(tc_posterior_cache_take(p, party, p->numbers + first, form.width, err));
    }
    go_on_from(p, party + 1);
    return TACIT_OK;
}

tacit_status tc_peers_missed(void *st, uint64_t round, uint64_t party, tacit_error *err)
{
    (void)round;
    (void)err;
    go_on_from(st, party + 1);
    return TACIT_OK;
}

/* ---- the relay ---- */

tacit_status tc_peers_check(const tc_peers_kind *kind, const tc_env *env, const void *opts,
                            uint64_t round, uint64_t agent, const void *bytes, size_t n,
                            tacit_error *err)
{
    size_t first;
    tc_fts_form form = kind->form(opts, &first);
    if (round != 0)
        return tc_fail(err, TACIT_E_ARG,
                       "agents of %s publish in round 0 alone, got round %" PRIu64, form.algorithm,
                       round);
    return tc_fts_relay_check(&form, env, agent, bytes, n, err);
}

tacit_status tc_peers_release(const tc_peers_kind *kind, const tc_env *env, const void *opts,
                              uint64_t round, uint64_t agent, const void *bytes, size_t n,
                              tc_release **out, tacit_error *err)
{
    size_t first;
    tc_fts_form form = kind->form(opts, &first);
    TC_TRY(tc_peers_check(kind, env, opts, round, agent, bytes, n, err));
    return tc_fts_relay_release(&form, bytes, n, out, err);
}

/* ---- trials ---- */

static tacit_status copy_values(tc_peers *p, const double *targets, tacit_error *err)
{
    size_t n = p->core.env->history->n;
    if (!tc_grow((void **)&p->y, &p->y_cap, n, sizeof *p->y) ||
        !tc_grow((void **)&p->at_mean, &p->mean_cap, n, sizeof *p->at_mean) ||
        !tc_grow((void **)&p->at_var, &p->var_cap, n, sizeof *p->at_var))
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        p->y[i] = tc_fts_value(&p->core, targets, i);
    return TACIT_OK;
}

/* The best point, once the own model is ready. */
static tacit_status choose(tc_peers *p, uint64_t trial, double *values, tacit_error *err)
{
    TC_TRY(p->kind->weigh(p, trial, err));
    p->n_active = 0;
    for (size_t i = 0; i < p->agents; i++)
        if (p->weight[i] > 0)
            p->active[p->n_active++] = i;
    return tc_peers_maximise(p, trial, values, err);
}

static tacit_status ask_with_process(tc_peers *p, uint64_t trial, double *values, tacit_error *err)
{
    tc_own *own = p->core.own;
    if (p->core.env->history->n < (uint64_t)p->core.opts->initial)
        return tc_own_ask(own, trial, values, err); /* from its design */
    tacit_status status = tc_own_open(own, err);
    if (status == TACIT_OK)
        status = copy_values(p, tc_own_targets(own), err);
    p->best = tc_own_best(own);
    if (status == TACIT_OK)
        status = choose(p, trial, values, err);
    tc_own_close(own);
    return status;
}

tacit_status tc_peers_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    tc_peers *p = st;
    if (p->core.own)
        return ask_with_process(p, trial, values, err);
    if (trial < (uint64_t)p->core.opts->initial) {
        tc_design_uniform(p->core.env, trial, values);
        return TACIT_OK;
    }
    TC_TRY(copy_values(p, NULL, err));
    TC_TRY(tc_peers_compose(p, err));
    TC_TRY(tc_peers_take(p, p->core.env->party, false, err));
    p->best = tc_peers_best(p, p->y);
    return choose(p, trial, values, err);
}
