/* common.c - one configuration for all agents: where the mean of the common function is largest, by what was
 * released.
 *
 * A broadcast is a weighted sum of the agents' posterior means plus noise. An agent hears it after taking out its own
 * part; here it is taken as it is, for what is wanted is the mean of all. The filter (broadcast_filter.c) makes of it
 * the posterior mean of the function that agents share, shrunk where few have been or the noise is large. Several
 * releases have independent noises, and their mean counts. All this is a function of releases and public constants:
 * it spends no privacy, whoever computes it. */
#include "algo/dp_fts_de/agent.h"

#include "algo/history.h"
#include "base/error.h"
#include "num/la.h"
#include "space/partition.h"

#include <inttypes.h>
#include <math.h>

typedef tc_dp_fts_de_agent_state agent;

typedef struct observer {
    agent a;
    tc_env env;
    tc_history history; /* it has tried nothing */
    tc_search search;
    double *omega, *heard; /* regions x M: the mean so far, and one broadcast */
    double *phi, *spare;   /* M, (2 + groups) M */
    double *u;             /* dim */
    double *variance; /* regions: the sum of those of the releases' noises, in each coordinate */
    /* Behind a filter, which hears one release, of sums of groups: how much they count (broadcast_filter.c); `variance`
     * is then that of such a sum. */
    double *shares;
    size_t groups;
    uint64_t releases;
    tc_arena memory;
} observer;

static tacit_status observer_init(observer *o, const tc_env *env, const void *opts,
                                  tacit_error *err)
{
    const size_t M = (size_t)((const tc_dp_fts_de_options *)opts)->features;
    const size_t P = tc_dp_fts_de_regions(opts), count = P * M;
    TC_TRY(tc_history_init(&o->history, env->space, err));
    o->env = *env;
    o->env.history = &o->history;
    o->env.party = 0;
    o->env.party_seed = (tc_party_seed){0}; /* candidates are a function of public constants */
    o->env.sibling = NULL;
    o->omega = TC_TAKE(&o->memory, count, double);
    o->heard = TC_TAKE(&o->memory, count, double);
    o->phi = TC_TAKE(&o->memory, M, double);
    o->spare = TC_TAKE(&o->memory, 2 * M + (env->trustees.count ? count : 0), double);
    o->shares = TC_TAKE(&o->memory, env->trustees.count ? P * P : 1, double);
    o->variance = TC_TAKE(&o->memory, P, double);
    o->u = TC_TAKE(&o->memory, env->space->dim, double);
    if (o->memory.failed)
        return tc_fail_memory(err);
    o->a.observer = true;
    return tc_dp_fts_de_agent.init(&o->a, &o->env, opts, err);
}

static void observer_fini(observer *o)
{
    tc_dp_fts_de_agent.fini(&o->a);
    tc_search_fini(&o->search);
    tc_history_fini(&o->history);
    tc_arena_fini(&o->memory);
}

/* ---- what was released ---- */

static tacit_status check_size(const tc_broadcast *b, size_t count, tacit_error *err)
{
    if (b->size == 8 * count)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "the broadcast of round %" PRIu64 " must have %zu bytes, got %zu", b->round,
                   8 * count, b->size);
}

static void note_noise(observer *o, const tc_dp_fts_de_round *r)
{
    const bool groups = r->shared.trustees.count > 0 && o->a.filter;
    o->groups = groups ? r->shared.groups : 0;
    for (size_t i = 0; i < r->plan.blocks; i++) {
        const double sd = groups ? r->sd : tc_dp_fts_de_broadcast_noise(r, i);
        o->variance[i] += sd * sd;
        for (size_t g = 0; g < o->groups; g++)
            o->shares[g * r->plan.blocks + i] = tc_dp_fts_de_share_of(r, g, i);
    }
}

static void hear_weights(observer *o, const tc_broadcast *b, const tc_dp_fts_de_round *r)
{
    const size_t count = r->plan.blocks * r->plan.width;
    if (!o->a.features) /* the vote was not released: of which function these are is not known */
        return;
    tc_dp_fts_de_broadcast_read(r, b->bytes, o->heard);
    if (o->a.filter)
        tc_dp_fts_de_filter_apply(o->a.filter, o->heard, o->phi, o->spare);
    o->releases++;
    note_noise(o, r);
    for (size_t i = 0; i < count; i++)
        o->omega[i] += (o->heard[i] - o->omega[i]) / (double)o->releases;
}

static tacit_status hear(observer *o, const tc_broadcast *b, tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, &o->env, o->a.opts, b->round, err));
    tacit_status status = check_size(b, tc_dp_fts_de_broadcast_count(&r), err);
    if (status == TACIT_OK && tc_dp_fts_de_is_vote(o->a.opts, b->round))
        status = tc_dp_fts_de_hear_vote(&o->a, &r, b->bytes, err);
    else if (status == TACIT_OK)
        hear_weights(o, b, &r);
    tc_dp_fts_de_round_fini(&r);
    return status;
}

/* ---- where its mean is largest ---- */

static void describe(observer *o, tc_common *out)
{
    const tc_features *f = o->a.features;
    const size_t M = f->rff.M, dim = o->env.space->dim;
    tc_space_encode(o->env.space, out->values, o->u);
    const size_t region = f->regions > 1 ? tc_region_of(o->u, f->regions, dim) : 0;
    tc_rff_many(&f->rff, 1, o->u, 1, o->phi, M);
    const double size = o->a.filter ? tc_dp_fts_de_filter_noise(o->a.filter, region, o->phi,
                                                                o->shares, o->groups, o->spare)
                                    : sqrt(tc_dot(M, o->phi, o->phi));
    out->mean = tc_dot(M, o->phi, o->omega + region * M);
    out->noise_sd = size * sqrt(o->variance[region]) / (double)o->releases;
    out->releases = o->releases;
}

static tacit_status find(observer *o, const tc_broadcast *heard, size_t n, tc_common *out,
                         tacit_error *err)
{
    for (size_t i = 0; i < n; i++)
        TC_TRY(hear(o, &heard[i], err));
    if (o->releases == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "nothing was released yet that says where the agents' mean is largest");
    const tc_target t = {.omega = o->omega, .regions = o->a.features->regions};
    TC_TRY(tc_search_init(&o->search, &o->env, o->a.features, err));
    TC_TRY(tc_search_maximise(&o->search, &t, 0, out->values, err));
    describe(o, out);
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_recommend(const tc_env *env, const void *opts, const tc_broadcast *heard,
                                    size_t n, tc_common *out, tacit_error *err)
{
    observer *o = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    tacit_status status = observer_init(o, env, opts, err);
    if (status == TACIT_OK)
        status = find(o, heard, n, out, err);
    observer_fini(o);
    tc_free(o);
    return status;
}
