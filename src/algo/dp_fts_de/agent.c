/* agent.c - the agent of dp-fts-de (Algorithm 2).
 *
 * Its knowledge is a Gaussian process of its own (own=gp, heard.c), or a Bayesian linear regression on the shared
 * features, one rank-one update for each observation (own=features, trial.c and prior.c). Alone (a roster of
 * one, or none) it never waits. After a round without a broadcast (a spent budget) it goes on with what it has
 * heard, except with absorb=point.
 *
 * What is sent is clipped here and again by the coordinator; all else that an agent computes from
 * its data stays with it. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"
#include "num/normal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef tc_dp_fts_de_agent_state agent;

/* ---- birth and end ---- */

static tacit_status check_roster(const tc_env *env, tacit_error *err)
{
    if (env->agents <= 1 || env->party < env->agents)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "party %" PRIu64 " is not on the roster of %" PRIu64 " agents",
                   env->party, env->agents);
}

/* The next round that releases is the first from `from` on. */
static tacit_status set_due(agent *a, uint64_t from, tacit_error *err)
{
    uint64_t due = tc_dp_fts_de_federated(a) ? tc_dp_fts_de_next_round(a->opts, &a->releases, from)
                                             : TC_DP_FTS_DE_NEVER;
    tc_dp_fts_de_round r;
    if (due != TC_DP_FTS_DE_NEVER) {
        TC_TRY(tc_dp_fts_de_round_init(&r, a->env, a->opts, due, err));
        a->form = tc_dp_fts_de_round_form(&r, due);
        tc_dp_fts_de_round_fini(&r);
    }
    a->due = due;
    return TACIT_OK;
}

/* own=features: a model on the shared features, and where a function of them is largest. */
static tacit_status init_features(agent *a, tacit_error *err)
{
    const tc_env *env = a->env;
    TC_TRY(tc_blr_new_borrowing(&a->model, (size_t)a->opts->features, a->opts->noise,
                                env->space->domain ? env->budget : 0, err));
    TC_TRY(tc_search_init(&a->search, env, a->features, err));
    tc_dp_fts_de_trial_init(a);
    return a->opts->absorb == TC_DP_FTS_DE_PRIOR ? tc_dp_fts_de_prior_init(a, err) : TACIT_OK;
}

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    agent *a = st;
    a->env = env;
    a->opts = opts;
    size_t M = (size_t)a->opts->features,
           most = M > TC_DP_FTS_DE_VOTE_GRID ? M : TC_DP_FTS_DE_VOTE_GRID;
    TC_TRY(check_roster(env, err));
    TC_TRY(tc_dp_fts_de_check(a->opts, err));
    TC_TRY(tc_dp_fts_de_check_trustees(env, a->opts, err));
    TC_TRY(tc_dp_fts_de_check_room(a->opts, err));
    TC_TRY(tc_dp_fts_de_releases_init(&a->releases, a->opts->releases, err));
    a->messages = tc_party_key_of(&env->party_seed, env->party, TC_FOR_MESSAGE);
    a->omega = TC_TAKE(&a->memory, tc_dp_fts_de_regions(a->opts) * M, double);
    a->draw = TC_TAKE(&a->memory, most, double);
    a->steps = TC_TAKE(&a->memory, most, int64_t);
    a->low = TC_TAKE(&a->memory, env->space->dim, double);
    a->high = TC_TAKE(&a->memory, env->space->dim, double);
    if (a->memory.failed)
        return tc_fail_memory(err);
    if (a->opts->own == TC_DP_FTS_DE_OWN_GP)
        TC_TRY(tc_dp_fts_de_heard_init(a, err));
    TC_TRY(tc_dp_fts_de_shared_init(a, err));
    if (!a->own)
        TC_TRY(init_features(a, err));
    return set_due(a, 0, err);
}

static void fini(void *st)
{
    agent *a = st;
    tc_dp_fts_de_shared_fini(a);
    tc_blr_free(a->model);
    tc_search_fini(&a->search);
    tc_dp_fts_de_prior_fini(a);
    tc_own_free(a->own);
    tc_dp_fts_de_releases_fini(&a->releases);
    tc_arena_fini(&a->memory);
}

/* ---- rounds ---- */

/* Observations that come before a round; the vote and the first release have the initial ones. */
static uint64_t before_round(const agent *a, uint64_t round)
{
    uint64_t later =
        tc_dp_fts_de_is_vote(a->opts, round) ? 0 : tc_dp_fts_de_release_of(a->opts, round);
    return (uint64_t)a->opts->initial + later;
}

static void need(const void *st, tc_need *out)
{
    const agent *a = st;
    bool release = a->due != TC_DP_FTS_DE_NEVER && a->env->history->n >= before_round(a, a->due);
    *out = (tc_need){.may = a->waits  ? 0u
                            : release ? TC_NEED_PUBLISH
                                      : TC_NEED_TRIAL,
                     .must = a->waits ? TC_NEED_ABSORB : 0u,
                     .round = a->due == TC_DP_FTS_DE_NEVER ? 0 : a->due};
}

/* What the agent has to say in a round: the vote, its posterior mean, or a draw. */
static tacit_status speak(const agent *a, uint64_t round, const double **w, tacit_error *err)
{
    tc_stream s;
    *w = a->draw;
    if (tc_dp_fts_de_is_vote(a->opts, round))
        return tc_dp_fts_de_vote_message(a, a->draw, err);
    if (tc_dp_fts_de_missed_vote(a)) {
        memset(a->draw, 0, a->form.width * sizeof *a->draw);
        return TACIT_OK;
    }
    if (a->own)
        return tc_dp_fts_de_heard_message(a, a->draw, err);
    if (tc_dp_fts_de_sends_mean(a->opts)) {
        *w = tc_blr_mean(a->model);
        return TACIT_OK;
    }
    tc_stream_keyed(&s, &a->messages, round);
    tc_blr_sample(a->model, &s, a->draw);
    return TACIT_OK;
}

/* broadcast=strange: the same function for all agents, as long as a message may be. It has the look of knowledge. */
static void speak_strange(const agent *a, uint64_t round)
{
    const size_t width = a->form.width;
    tc_stream s;
    tc_stream_public(&s, &a->env->public_seed, TC_FOR_MESSAGE, round);
    tc_normals(&s, width, a->draw);
    const double length = ldexp((double)a->form.clip, -a->form.grid) / sqrt((double)width);
    for (size_t i = 0; i < width; i++)
        a->draw[i] *= length;
}

/* The same on the round's grid, within its clip norm: a->steps. */
static tacit_status compose(const agent *a, uint64_t round, tacit_error *err)
{
    const size_t width = a->form.width;
    const double *w;
    TC_TRY(speak(a, round, &w, err));
    if (a->opts->broadcast == TC_DP_FTS_DE_STRANGE) {
        speak_strange(a, round);
        w = a->draw;
    }
    tc_grid_truncate_many(w, width, a->form.grid, a->steps);
    if (a->opts->broadcast == TC_DP_FTS_DE_NOISE)
        memset(a->steps, 0, width * sizeof *a->steps);
    for (size_t i = 0; a->opts->broadcast == TC_DP_FTS_DE_REVERSED && i < width; i++)
        a->steps[i] = -a->steps[i];
    tc_clip_l2(a->steps, width, a->form.clip);
    return TACIT_OK;
}

static tacit_status publish(const void *st, uint64_t round, tc_text *out, tacit_error *err)
{
    const agent *a = st;
    TC_TRY(compose(a, round, err));
    tc_dp_fts_de_message_write(&a->form, a->steps, out);
    return TACIT_OK;
}

static tacit_status check_open(const agent *a, uint64_t round, bool waits, tacit_error *err)
{
    if (a->due == round && a->waits == waits)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT, "round %" PRIu64 " is not the one that this agent %s",
                   round, waits ? "waits for" : "may publish in");
}

static tacit_status published(void *st, uint64_t round, tacit_error *err)
{
    agent *a = st;
    TC_TRY(check_open(a, round, false, err));
    if (a->own && !tc_dp_fts_de_is_vote(a->opts, round)) {
        TC_TRY(compose(a, round, err));
        tc_dp_fts_de_heard_sent(a);
    }
    a->waits = true;
    return TACIT_OK;
}

static tacit_status end_round(agent *a, tacit_error *err)
{
    TC_TRY(set_due(a, a->due + 1, err));
    a->waits = false;
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_hear_vote(agent *a, const tc_dp_fts_de_round *r, const void *bytes,
                                    tacit_error *err)
{
    tc_dp_fts_de_broadcast_read(r, bytes, a->draw);
    size_t pick = tc_dp_fts_de_vote_pick(a->draw, tc_dp_fts_de_broadcast_noise(r, 0));
    return tc_dp_fts_de_share(a, tc_dp_fts_de_vote_lengthscale(a->env->space->dim, pick), err);
}

static void absorb_weights(agent *a, uint64_t release, const tc_dp_fts_de_round *r,
                           const void *bytes)
{
    double *omega = a->own                                  ? a->heard.omega
                    : a->opts->absorb == TC_DP_FTS_DE_PRIOR ? a->prior.target
                                                            : a->omega;
    if (tc_dp_fts_de_missed_vote(a)) /* of which function these are the weights is not known here */
        return;
    tc_dp_fts_de_broadcast_read(r, bytes, omega);
    a->informed = true;
    a->absorbed = a->env->history->n;
    if (a->own) {
        tc_dp_fts_de_heard_absorb(a, release, r->grid, omega);
        return;
    }
    if (a->filter)
        tc_dp_fts_de_filter_apply(a->filter, omega, a->draw, a->prior.spread);
    if (a->opts->absorb == TC_DP_FTS_DE_PRIOR)
        tc_dp_fts_de_prior_absorb(a, omega);
}

static tacit_status absorb_round(agent *a, uint64_t round, const tc_dp_fts_de_round *r,
                                 const void *bytes, size_t n, tacit_error *err)
{
    const bool vote = tc_dp_fts_de_is_vote(a->opts, round);
    const size_t count = tc_dp_fts_de_broadcast_count(r);
    if (n != 8 * count)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the broadcast of round %" PRIu64 " must have %zu bytes, got %zu", round,
                       8 * count, n);
    if (vote)
        TC_TRY(tc_dp_fts_de_hear_vote(a, r, bytes, err));
    TC_TRY(end_round(a, err));
    if (!vote)
        absorb_weights(a, tc_dp_fts_de_release_of(a->opts, round), r, bytes);
    return TACIT_OK;
}

static tacit_status absorb(void *st, uint64_t round, const void *bytes, size_t n, tacit_error *err)
{
    agent *a = st;
    tc_dp_fts_de_round r;
    TC_TRY(check_open(a, round, true, err));
    TC_TRY(tc_dp_fts_de_round_init(&r, a->env, a->opts, round, err));
    tacit_status status = absorb_round(a, round, &r, bytes, n, err);
    tc_dp_fts_de_round_fini(&r);
    return status;
}

static tacit_status skip(void *st, uint64_t round, tacit_error *err)
{
    agent *a = st;
    TC_TRY(check_open(a, round, true, err));
    TC_TRY(end_round(a, err));
    a->informed = a->prior.broadcasts > 0; /* what was heard as a prior stays known, at no cost */
    return TACIT_OK;
}

/* ---- fits of its own model ---- */

static bool fit_due(const void *st)
{
    const agent *a = st;
    return a->own && tc_own_fit_due(a->own);
}

static tacit_status fit(void *st, tc_text *out, tacit_error *err)
{
    return tc_own_fit(((agent *)st)->own, out, err);
}

static tacit_status fitted(void *st, const char *body, tacit_error *err)
{
    agent *a = st;
    if (!a->own)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the journal has a fit, and own=features fits nothing");
    return tc_own_fitted(a->own, body, err);
}

static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    agent *a = st;
    if (a->own)
        return tc_own_recommend(a->own, out, err);
    *out = (tc_recommended){.none = TC_RECOMMEND_FEATURES};
    return TACIT_OK;
}

const tc_optimizer_ops tc_dp_fts_de_agent = {
    .state_size = sizeof(agent),
    .init = init,
    .fini = fini,
    .fit_due = fit_due,
    .fit = fit,
    .fitted = fitted,
    .ask = tc_dp_fts_de_ask,
    .ask_many = tc_dp_fts_de_ask_many,
    .tell = tc_dp_fts_de_tell,
    .recommend = recommend,
    .need = need,
    .publish = publish,
    .published = published,
    .absorb = absorb,
    .skip = skip,
};
