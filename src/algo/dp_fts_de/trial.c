/* trial.c - the points of an agent (Algorithm 2, lines 4 to 9): initial ones in its start region, then its own
 * Thompson draw or the broadcast's maximum, and what it learns from a value. */
#include "algo/dp_fts_de/agent.h"

#include "algo/single/design.h"
#include "base/error.h"
#include "space/partition.h"

enum { TOGETHER = 32 };

typedef tc_dp_fts_de_agent_state agent;

void tc_dp_fts_de_trial_init(agent *a)
{
    const tc_env *env = a->env;
    a->coins = tc_party_key_of(&env->party_seed, env->party, TC_FOR_COIN);
    a->draws = tc_party_key_of(&env->party_seed, env->party, TC_FOR_DRAW);
}

static void any_point(const agent *a, uint64_t trial, double *values)
{
    tc_design_uniform(a->env, trial, values);
}

/* A uniform point of the agent's own region; of a finite space one of its candidates. A region
 * without candidates, or without points that satisfy the constraints, stands for the whole space. */
static void point_in_start_region(const agent *a, uint64_t trial, double *values)
{
    const tc_features *f = a->features;
    size_t region = tc_dp_fts_de_start_region(a->opts, a->env->party), dim = a->env->space->dim;
    tc_stream s;
    tc_stream_party(&s, &a->env->party_seed, a->env->party, TC_FOR_DESIGN, trial);
    if (a->env->space->domain) {
        size_t from = f->start[region], n = f->start[region + 1] - from;
        if (n == 0)
            any_point(a, trial, values);
        else
            values[0] = (double)f->order[from + tc_draw_below(&s, n)];
        return;
    }
    for (int tries = 0; tries < TC_SPACE_TRIES; tries++) {
        tc_region_box(region, f->regions, dim, a->low, a->high);
        for (size_t d = 0; d < dim; d++)
            a->low[d] += (a->high[d] - a->low[d]) * tc_draw_uniform(&s);
        if (tc_space_satisfied(a->env->space, a->low)) {
            tc_space_decode(a->env->space, a->low, values);
            return;
        }
    }
    any_point(a, trial, values);
}

static bool follows(const agent *a, uint64_t trial)
{
    tc_stream s;
    if (!a->informed || a->opts->broadcast == TC_DP_FTS_DE_NONE)
        return false;
    tc_stream_keyed(&s, &a->coins, trial);
    uint64_t t = trial - (uint64_t)a->opts->initial + 1;
    return tc_draw_uniform(&s) < tc_dp_fts_de_follow(a->opts, t);
}

static tc_target broadcast_target(const agent *a)
{
    return (tc_target){.omega = a->omega,
                       .regions = tc_dp_fts_de_regions(a->opts),
                       .since = a->absorbed,
                       .radius = tc_dp_fts_de_lengthscale(a->opts, a->env->space->dim) / 2};
}

static tc_target thompson_target(agent *a, uint64_t trial)
{
    tc_stream s;
    tc_stream_keyed(&s, &a->draws, trial);
    tc_blr_sample(a->model, &s, a->draw);
    return (tc_target){.omega = a->draw, .regions = 1};
}

/* absorb=prior: the maximum of the posterior mean where a broadcast would be followed, else of a
 * draw; the agent's own draw where the broadcast does not fit its data. The first query is the
 * broadcast's own: where its initial points lie an agent knows more than elsewhere, and would stay
 * in its start region too often. */
static tc_target prior_target(agent *a, uint64_t trial, bool follow)
{
    const double *omega = tc_dp_fts_de_prior_target(a, trial, !follow);
    if (!omega)
        return thompson_target(a, trial);
    if (follow && a->prior.broadcasts == 1 && a->absorbed == a->env->history->n)
        return broadcast_target(a);
    return (tc_target){.omega = omega,
                       .regions = tc_dp_fts_de_regions(a->opts),
                       .since = a->absorbed,
                       .radius =
                           follow ? tc_dp_fts_de_lengthscale(a->opts, a->env->space->dim) / 2 : 0};
}

/* own=features: the point itself, or false and the function whose maximum it is. */
static bool point_or_target(agent *a, uint64_t trial, double *values, tc_target *t)
{
    if (trial < (uint64_t)a->opts->initial) {
        if (tc_dp_fts_de_federated(a) && a->opts->init == TC_DP_FTS_DE_INIT_REGION)
            point_in_start_region(a, trial, values);
        else
            any_point(a, trial, values);
        return true;
    }
    bool follow = follows(a, trial);
    if (follow && a->opts->broadcast == TC_DP_FTS_DE_UNIFORM) {
        any_point(a, trial, values);
        return true;
    }
    if (a->opts->absorb == TC_DP_FTS_DE_PRIOR && a->informed &&
        a->opts->broadcast != TC_DP_FTS_DE_UNIFORM && a->opts->broadcast != TC_DP_FTS_DE_NONE)
        *t = prior_target(a, trial, follow);
    else
        *t = follow ? broadcast_target(a) : thompson_target(a, trial);
    return false;
}

tacit_status tc_dp_fts_de_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    agent *a = st;
    tc_target target;
    if (a->own)
        return tc_own_ask(a->own, trial, values, err);
    if (point_or_target(a, trial, values, &target))
        return TACIT_OK;
    return tc_search_maximise(&a->search, &target, trial, values, err);
}

/* Up to TOGETHER agents, whose targets on a finite space are maximised in one pass over the features. */
static tacit_status ask_some(void *const *st, const uint64_t *trial, double *const *values,
                             size_t n, tacit_error *err)
{
    tc_search *search[TOGETHER];
    tc_target target[TOGETHER];
    uint64_t searched[TOGETHER];
    double *found[TOGETHER];
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        agent *a = st[i];
        if (a->own) {
            TC_TRY(tc_own_ask(a->own, trial[i], values[i], err));
            continue;
        }
        if (point_or_target(a, trial[i], values[i], &target[k]))
            continue;
        search[k] = &a->search;
        searched[k] = trial[i];
        found[k++] = values[i];
    }
    return tc_search_maximise_many(search, target, searched, found, k, err);
}

tacit_status tc_dp_fts_de_ask_many(void *const *st, const uint64_t *trial, double *const *values,
                                   size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i += TOGETHER)
        TC_TRY(ask_some(st + i, trial + i, values + i, n - i < TOGETHER ? n - i : TOGETHER, err));
    return TACIT_OK;
}

/* The features of observation i and its region. Those of candidates stay where they are, and models
 * borrow them. */
static const double *observed(const agent *a, size_t i, size_t *region)
{
    const tc_history *h = a->env->history;
    const tc_features *f = a->features;
    for (size_t d = 0; d < h->dim; d++)
        a->low[d] = h->U[i + d * h->ld];
    *region = tc_region_of(a->low, f->regions, h->dim);
    if (f->n > 0)
        return f->Phi + f->place[h->point[i]] * f->rff.M;
    tc_rff_many(&f->rff, 1, a->low, 1, a->draw, f->rff.M);
    return a->draw;
}

/* Weighs observation i by the noise that it is known to have. Models borrow features, so those of candidates are copied for
 * good. */
static tacit_status weigh(agent *a, size_t i, const double **phi, double *y, tacit_error *err)
{
    const double v = tc_history_noise(a->env->history, i), scale = a->opts->y_scale;
    const double weight = tc_noise_weight(a->opts->noise, v / scale / scale);
    const size_t M = a->features->rff.M;
    if (weight == 1)
        return TACIT_OK;
    double *copy = *phi == a->draw ? a->draw : TC_TAKE(&a->memory, M, double);
    if (!copy)
        return tc_fail_memory(err);
    for (size_t m = 0; m < M; m++)
        copy[m] = weight * (*phi)[m];
    *phi = copy;
    *y *= weight;
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_tell(void *st, tacit_error *err)
{
    agent *a = st;
    const bool prior = a->opts->absorb == TC_DP_FTS_DE_PRIOR;
    if (a->own) /* it reads the history when it asks */
        return TACIT_OK;
    size_t i = a->env->history->n - 1, region;
    const double *phi = observed(a, i, &region);
    double y = tc_standard_value(a->env->history->y[i], a->opts->y_mean, a->opts->y_scale);
    TC_TRY(weigh(a, i, &phi, &y, err));
    if (prior)
        TC_TRY(tc_dp_fts_de_prior_open(a, region, err));
    tc_blr_add(a->model, phi, y);
    if (prior)
        tc_dp_fts_de_prior_tell(a, phi, region, y);
    return TACIT_OK;
}
