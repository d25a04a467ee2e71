/* agent.c - the agent of fts (Algorithm 1): its rounds, and the messages it reads.
 *
 * Its knowledge is a Gaussian process of its own, which hears what others say (own=gp, heard.c), or a Bayesian linear
 * regression on the shared features (own=features). mode=one-shot: it publishes
 * once, after its initial points, and reads each message of another agent at most once.
 * mode=general: it publishes before every trial, and reads messages of the present round. With own=features it
 * reads only what it drew, at most one message for a trial. Alone it never waits: then this
 * is expected improvement with its own process, or Thompson sampling on M features. */
#include "algo/fts/agent.h"

#include "base/error.h"

typedef tc_fts_agent_state agent;

tc_fts_form tc_fts_form_of(const tc_fts_options *o, const tc_space *s, uint64_t round)
{
    const bool values = o->message == TC_FTS_VALUES;
    return (tc_fts_form){.algorithm = "fts",
                         .magic = values ? "TFV1" : "TFT1",
                         .round = round,
                         .width = values ? tc_fts_pool_width(s) : (size_t)o->common.features};
}

static bool learns(const agent *a)
{
    return a->opts->choose == TC_FTS_LEARNED;
}

/* ---- birth and end ---- */

/* Everybody but itself may be drawn. */
static tacit_status fill_urn(agent *a, tacit_error *err)
{
    const tc_env *env = a->core.env;
    const agent *sibling = env->sibling;
    if (!tc_fts_federated(&a->core))
        return TACIT_OK;
    TC_TRY(
        tc_fts_urn_init(&a->urn, env->agents, a->opts->given, sibling ? &sibling->urn : NULL, err));
    TC_TRY(tc_fts_urn_reserve(&a->urn, err));
    tc_fts_urn_remove(&a->urn, env->party);
    return TACIT_OK;
}

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    agent *a = st;
    a->opts = opts;
    a->ready = a->tried = TC_FTS_NEVER;
    TC_TRY(tc_fts_check(a->opts, err));
    TC_TRY(tc_fts_core_init(&a->core, env, &a->opts->common, err));
    TC_TRY(fill_urn(a, err));
    a->omega = TC_TAKE(&a->core.memory, tc_fts_form_of(a->opts, env->space, 0).width, double);
    if (a->core.memory.failed)
        return tc_fail_memory(err);
    if (a->core.own)
        return tc_fts_heard_init(a, err);
    TC_TRY(tc_blr_new(&a->model, (size_t)a->opts->common.features, a->opts->common.noise, err));
    return tc_search_init(&a->search, env, a->core.features, err);
}

static void fini(void *st)
{
    agent *a = st;
    tc_search_fini(&a->search);
    tc_blr_free(a->model);
    tc_fts_filter_unref(a->heard.filter);
    tc_fts_pool_free(a->heard.pool);
    tc_fts_urn_fini(&a->urn);
    tc_fts_message_cache_fini(&a->cache);
    tc_fts_core_fini(&a->core);
}

static tacit_status tell(void *st, tacit_error *err)
{
    agent *a = st;
    size_t i = a->core.env->history->n - 1;
    if (a->core.own) /* it reads the history when it asks */
        return TACIT_OK;
    const double weight = tc_fts_weight(&a->core, i);
    const double *phi = tc_fts_phi(&a->core, i, a->core.draw);
    tc_blr_add(a->model, tc_fts_weighed(&a->core, weight, phi),
               weight * tc_fts_value(&a->core, NULL, i));
    return tc_fts_message_cache_observe(&a->cache, &a->core, err);
}

/* ---- rounds ---- */

/* Is a message to be read now? *party: whose. */
static bool reads(const agent *a, uint64_t *party)
{
    if (a->core.own)
        return tc_fts_heard_reads(a, party);
    tc_fts_lead lead = tc_fts_decide(a, tc_fts_trial(&a->core));
    *party = lead.party;
    return lead.kind == TC_FTS_FETCH;
}

static void need(const void *st, tc_need *out)
{
    const agent *a = st;
    uint64_t party;
    if (tc_fts_publishes(&a->core))
        *out = (tc_need){.may = TC_NEED_PUBLISH, .round = a->core.due};
    else if (reads(a, &party))
        *out = (tc_need){.must = TC_NEED_FETCH, .round = tc_fts_round(a), .party = party};
    else
        *out = (tc_need){.may = TC_NEED_TRIAL};
}

static tacit_status publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    const agent *a = st;
    const tc_env *env = a->core.env;
    tc_fts_form form = tc_fts_form_of(a->opts, env->space, round);
    const double *w = a->core.draw;
    if (a->core.own) {
        TC_TRY(tc_fts_heard_message(a, a->omega, err));
        w = a->omega;
    } else if (a->opts->message == TC_FTS_MEAN) {
        w = tc_blr_mean(a->model);
    } else {
        tc_stream s;
        tc_stream_party(&s, &env->party_seed, env->party, TC_FOR_MESSAGE, round);
        tc_blr_sample(a->model, &s, a->core.draw);
    }
    tc_fts_message_write(&form, w, out);
    return TACIT_OK;
}

/* Whoever was missed in the last round may have sent something in this one. */
static void forget_misses(agent *a)
{
    tc_fts_urn_refill(&a->urn);
    tc_fts_urn_remove(&a->urn, a->core.env->party);
    for (size_t i = 0; i < a->cache.n; i++) {
        tc_fts_urn_remove(&a->urn, a->cache.kept[i].party);
        a->cache.kept[i].absent = false;
    }
}

static tacit_status published(void *st, uint64_t round, tacit_error *err)
{
    agent *a = st;
    TC_TRY(tc_fts_check_publish(&a->core, round, err));
    bool again = a->opts->mode == TC_FTS_GENERAL;
    a->core.due = again ? round + 1 : TC_FTS_NEVER;
    if (again)
        forget_misses(a);
    if (a->core.own)
        tc_fts_heard_published(a);
    return TACIT_OK;
}

/* ---- messages of others; apply.c lets pass only the one that `need` named ---- */

/* choose=learned: keeps the message, and follows it as far as it deserves. */
static tacit_status keep(agent *a, uint64_t round, uint64_t party, tacit_error *err)
{
    TC_TRY(tc_fts_message_cache_put(&a->cache, &a->core, party, round, a->omega, &a->slot, err));
    tc_fts_kept *kept = &a->cache.kept[a->slot];
    kept->followed = a->trusted = tc_fts_trusts(a, tc_fts_trial(&a->core), kept->weight);
    return TACIT_OK;
}

/* Read into scratch first: a message that is refused leaves everything as it was. */
static tacit_status fetched(void *st, uint64_t round, uint64_t party, const void *bytes, size_t n,
                            tacit_error *err)
{
    agent *a = st;
    tc_fts_form form = tc_fts_form_of(a->opts, a->core.env->space, round);
    TC_TRY(tc_fts_relayed_read(&form, party, bytes, n, a->omega, err));
    TC_TRY(tc_fts_urn_reserve(&a->urn, err));
    if (a->core.own)
        return tc_fts_heard_fetched(a, party, err);
    a->trusted = true;
    if (learns(a))
        TC_TRY(keep(a, round, party, err));
    if (learns(a) || a->opts->mode == TC_FTS_ONE_SHOT)
        tc_fts_urn_remove(&a->urn, party);
    a->ready = tc_fts_trial(&a->core);
    return TACIT_OK;
}

static tacit_status missed(void *st, uint64_t round, uint64_t party, tacit_error *err)
{
    agent *a = st;
    uint64_t trial = tc_fts_trial(&a->core);
    (void)round;
    TC_TRY(tc_fts_urn_reserve(&a->urn, err));
    if (a->core.own) {
        tc_fts_heard_missed(a, party);
        return TACIT_OK;
    }
    tc_fts_urn_remove(&a->urn, party);
    for (size_t i = 0; i < a->cache.n; i++)
        a->cache.kept[i].absent |= a->cache.kept[i].party == party;
    a->misses = a->tried == trial ? a->misses + 1 : 1;
    a->tried = trial;
    return TACIT_OK;
}

const tc_optimizer_ops tc_fts_agent = {
    .state_size = sizeof(agent),
    .init = init,
    .fini = fini,
    .fit_due = tc_fts_fit_due,
    .fit = tc_fts_fit,
    .fitted = tc_fts_fitted,
    .recommend = tc_fts_recommend,
    .ask = tc_fts_ask,
    .tell = tell,
    .need = need,
    .publish = publish,
    .published = published,
    .fetched = fetched,
    .missed = missed,
};
