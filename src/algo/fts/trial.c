/* trial.c - own=features: one iteration of Algorithm 1: the coin, whom to follow, and the point.
 *
 * All of it is a function of the state and the trial's number, so `need` and `ask` come to the same
 * decision, and so does whoever replays the journal. The coin of a trial and each choice between agents
 * have streams of their own: a message that was missed costs one more choice, not a new coin. */
#include "algo/fts/agent.h"

#include "algo/single/design.h"

/* Numbers of trials stay below 2^40. */
enum { TRIAL_BITS = 40, LAST_CHOICE = (1 << 24) - 1 };

typedef tc_fts_agent_state agent;

uint64_t tc_fts_round(const agent *a)
{
    return a->opts->mode == TC_FTS_ONE_SHOT ? 0 : a->core.due - 1;
}

/* choice 0 is the coin, choice k the k-th agent that is drawn, the last one whether it is followed. */
void tc_fts_choice_stream(tc_stream *s, const agent *a, uint64_t step, uint64_t choice)
{
    const tc_env *env = a->core.env;
    tc_stream_party(s, &env->party_seed, env->party, TC_FOR_COIN, step | choice << TRIAL_BITS);
}

static bool tails(const agent *a, uint64_t trial)
{
    tc_stream s;
    uint64_t t = trial - (uint64_t)a->core.opts->initial + 1;
    tc_fts_choice_stream(&s, a, trial, 0);
    return tc_draw_uniform(&s) < tc_fts_follow(a->opts, t);
}

static tc_fts_lead draw_from_urn(const agent *a, tc_stream *s)
{
    uint64_t left = tc_fts_urn_left(&a->urn);
    if (left == 0)
        return (tc_fts_lead){.kind = TC_FTS_OWN};
    uint64_t party = tc_fts_urn_pick(&a->urn, tc_draw_below(s, left));
    return (tc_fts_lead){.kind = TC_FTS_FETCH, .party = party};
}

/* In one-shot mode a message that was followed is used up. */
static double weight_of(const agent *a, const tc_fts_kept *k)
{
    bool used = k->followed && a->opts->mode == TC_FTS_ONE_SHOT;
    return used || k->absent ? 0 : k->weight;
}

/* Those that were not read have weight 1 each; behind them come the kept ones by their weights. */
static tc_fts_lead draw_learned(const agent *a, tc_stream *s)
{
    const tc_fts_message_cache *cache = &a->cache;
    double unread = (double)tc_fts_urn_left(&a->urn), sum = unread;
    for (size_t i = 0; i < cache->n; i++)
        sum += weight_of(a, &cache->kept[i]);
    double ticket = tc_draw_uniform(s) * sum - unread;
    size_t at = cache->n; /* the last whose weight is not 0: rounding never leads past it */
    for (size_t i = 0; i < cache->n && ticket >= 0; i++)
        if (weight_of(a, &cache->kept[i]) > 0) {
            at = i;
            ticket -= weight_of(a, &cache->kept[i]);
        }
    if (at == cache->n)
        return draw_from_urn(a, s);
    bool fresh = cache->kept[at].round == tc_fts_round(a);
    return (tc_fts_lead){
        .kind = fresh ? TC_FTS_OTHER : TC_FTS_FETCH, .party = cache->kept[at].party, .slot = at};
}

static tc_fts_lead draw_agent(const agent *a, uint64_t trial)
{
    tc_stream s;
    tc_fts_choice_stream(&s, a, trial, 1 + (a->tried == trial ? a->misses : 0));
    return a->opts->choose == TC_FTS_LEARNED ? draw_learned(a, &s) : draw_from_urn(a, &s);
}

/* Before the first round there is nothing to follow. */
static bool may_follow(const agent *a, uint64_t trial)
{
    return tc_fts_federated(&a->core) && a->core.due > 0 &&
           trial >= (uint64_t)a->core.opts->initial;
}

bool tc_fts_trusts(const agent *a, uint64_t trial, double weight)
{
    tc_stream s;
    tc_fts_choice_stream(&s, a, trial, LAST_CHOICE);
    return tc_draw_uniform(&s) < weight;
}

tc_fts_lead tc_fts_decide(const agent *a, uint64_t trial)
{
    static const tc_fts_lead own = {.kind = TC_FTS_OWN};
    if (a->ready == trial)
        return a->trusted ? (tc_fts_lead){.kind = TC_FTS_OTHER, .slot = a->slot} : own;
    if (!may_follow(a, trial) || !tails(a, trial))
        return own;
    tc_fts_lead lead = draw_agent(a, trial);
    bool kept = lead.kind == TC_FTS_OTHER;
    return !kept || tc_fts_trusts(a, trial, a->cache.kept[lead.slot].weight) ? lead : own;
}

/* ---- points ---- */

/* A kept message may be followed by several trials. It is a fixed function, so the next query keeps away
 * from what was asked since it came. */
static tacit_status follow(agent *a, size_t slot, uint64_t trial, double *values, tacit_error *err)
{
    tc_target target = {.omega = a->omega, .regions = 1};
    if (a->opts->choose == TC_FTS_LEARNED) {
        target.omega = a->cache.kept[slot].omega;
        target.since = a->cache.kept[slot].since;
        target.radius = a->core.opts->lengthscale / 2;
    }
    return tc_search_maximise(&a->search, &target, trial, values, err);
}

static tacit_status thompson(agent *a, uint64_t trial, double *values, tacit_error *err)
{
    const tc_env *env = a->core.env;
    tc_stream s;
    tc_stream_party(&s, &env->party_seed, env->party, TC_FOR_DRAW, trial);
    tc_blr_sample(a->model, &s, a->core.draw);
    tc_target target = {.omega = a->core.draw, .regions = 1};
    return tc_search_maximise(&a->search, &target, trial, values, err);
}

tacit_status tc_fts_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    agent *a = st;
    if (a->core.own)
        return tc_fts_heard_ask(a, trial, values, err);
    if (trial < (uint64_t)a->core.opts->initial) {
        tc_design_uniform(a->core.env, trial, values);
        return TACIT_OK;
    }
    tc_fts_lead lead = tc_fts_decide(a, trial);
    return lead.kind == TC_FTS_OTHER ? follow(a, lead.slot, trial, values, err)
                                     : thompson(a, trial, values, err);
}
