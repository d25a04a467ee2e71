/* weights.c - phi_n^(i), its temperature, and what a round's sum costs.
 *
 * phi_n^(i) = exp((a 1[n in i] + 1)/T)/sum_n' (section 3.3 of the paper): all agents with the same
 * start region have the same weights and are a group of the sum, so P rows describe the roster. a/T = gap
 * for the first `hold` rounds, then falls linearly to 0 over `fade` rounds, after which all count
 * alike.
 *
 * Weights depend on N and the round, never on who is present: an absent agent is a zero vector.
 *
 * sound: the L2 sensitivity is exactly Delta = S/sqrt(P) max_n |phi_n|_2, which sum.c computes from
 * the integer weights; sd = z Delta. paper: sd = z phi_max S, that is the same sum with the larger
 * bound phi_max S >= Delta in the place of Delta; the event still says z, and holds. With trustees vectors are added up
 * without weights (privacy/shared_sum.h), and the sensitivity is S/sqrt(P). */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "base/error.h"
#include "num/vmath.h"

#include <math.h>

size_t tc_dp_fts_de_start_region(const tc_dp_fts_de_options *o, uint64_t agent)
{
    return (size_t)(agent % tc_dp_fts_de_regions(o));
}

double tc_dp_fts_de_gap(const tc_dp_fts_de_options *o, uint64_t release)
{
    double past = (double)release - (double)o->hold, fade = (double)o->fade;
    if (o->weights == TC_DP_FTS_DE_EVERYWHERE)
        return 0;
    if (past < 0 || fade == 0)
        return o->gap;
    return fade > 1 ? o->gap * fmax(0, 1 - past / (fade - 1)) : 0;
}

/* `elsewhere`: how much less than in its start region an agent counts in other regions. */
static double weight(double elsewhere, uint64_t agents, uint64_t P, size_t start, size_t i)
{
    double members = (double)(agents / P + (i < agents % P)), others = (double)agents - members;
    /* A region without members is known to nobody better than to the others. */
    if (members == 0)
        return 1 / others;
    return (start == i ? 1 : elsewhere) / (members + others * elsewhere);
}

double tc_dp_fts_de_weight(const tc_dp_fts_de_options *o, uint64_t agents, uint64_t release,
                           size_t start, size_t i)
{
    return weight(tc_agreed_exp(-tc_dp_fts_de_gap(o, release)), agents, tc_dp_fts_de_regions(o),
                  start, i);
}

bool tc_dp_fts_de_sends_mean(const tc_dp_fts_de_options *o)
{
    return o->own == TC_DP_FTS_DE_OWN_GP || o->message == TC_DP_FTS_DE_MEAN ||
           (o->message == TC_DP_FTS_DE_AUTO && o->noise_multiplier > 0);
}

/* The mean of an agent that has seen n values of sd 1 is about sqrt(n) long, rarely more than this; a
 * draw has the length of the prior, about sqrt(M). A clip that is too tight would level the regions
 * that are worth most. */
double tc_dp_fts_de_clip(const tc_dp_fts_de_options *o)
{
    if (o->clip > 0)
        return o->clip / sqrt((double)tc_dp_fts_de_regions(o));
    double n = tc_dp_fts_de_sends_mean(o) ? fmin(fmax(1, (double)o->initial), (double)o->features)
                                          : (double)o->features;
    return 1.1 * sqrt(n);
}

uint64_t tc_dp_fts_de_sampled(const tc_dp_fts_de_options *o, uint64_t agents)
{
    return (uint64_t)fmax(1, round(o->sampling_rate * (double)agents));
}

double tc_dp_fts_de_rate(const tc_dp_fts_de_options *o, uint64_t agents)
{
    if (o->sampling == TC_DP_FTS_DE_FIXED)
        return (double)tc_dp_fts_de_sampled(o, agents) / (double)agents;
    return o->sampling_rate;
}

/* In a region, all agents that do not start there have the same weight. */
static void fill_weights(tc_dp_fts_de_round *r, const tc_dp_fts_de_options *o, uint64_t release)
{
    const size_t P = r->plan.blocks;
    const double elsewhere = tc_agreed_exp(-tc_dp_fts_de_gap(o, release)),
                 one = ldexp(1, TC_DP_FTS_DE_WEIGHT_BITS);
    for (size_t i = 0; i < P; i++) {
        r->weights[i] = (uint32_t)(one * weight(elsewhere, r->plan.agents, P, i, i));
        r->weights[P + i] = (uint32_t)(one * weight(elsewhere, r->plan.agents, P, P, i));
    }
}

/* phi_max / max_n |phi_n|_2, at most 1: O(P^2), for mode=paper alone. */
static double peak_share(const tc_dp_fts_de_round *r)
{
    size_t P = r->plan.blocks;
    double peak = 0, norm = 0;
    for (size_t n = 0; n < r->plan.groups; n++) {
        double square = 0;
        for (size_t i = 0; i < P; i++) {
            double w = r->weights[n == i ? i : P + i];
            square += w * w;
            peak = fmax(peak, w);
        }
        norm = fmax(norm, sqrt(square));
    }
    return peak / norm;
}

static tacit_status set_shared(tc_dp_fts_de_round *r, double clip, double z, tacit_error *err)
{
    tc_shared_scale scale;
    TC_TRY(tc_shared_plan_set(&r->shared, clip, z, err));
    TC_TRY(tc_shared_plan_scale(&r->shared, &scale, err));
    r->grid = r->release_grid = r->shared.grid;
    r->clip = r->shared.clip;
    r->rate = 1;
    r->sd = ldexp(scale.sd, -r->shared.grid);
    r->price = (tc_round_price){scale.event, scale.distance, scale.adjacency};
    return TACIT_OK;
}

static tacit_status set_plan(tc_dp_fts_de_round *r, const tc_dp_fts_de_options *o, double clip,
                             double z, tacit_error *err)
{
    double bound = clip;
    if (o->mode == TC_DP_FTS_DE_PAPER)
        bound = fmax(clip, clip * sqrt((double)r->plan.blocks) * peak_share(r));
    double q = o->sampling == TC_DP_FTS_DE_FIXED ? 1 : o->sampling_rate;
    tc_sum_scale scale;
    TC_TRY(tc_sum_plan_fit(&r->plan, bound, z, q, &scale, err));
    uint64_t steps = (uint64_t)tc_grid_truncate(clip, r->plan.grid);
    r->grid = r->plan.grid;
    r->clip = steps < r->plan.clip ? steps : r->plan.clip;
    r->release_grid = scale.grid;
    r->rate = tc_dp_fts_de_rate(o, r->plan.agents);
    r->sd = ldexp((double)scale.sd, -scale.grid) / r->rate;
    r->price = (tc_round_price){scale.event, scale.distance, scale.adjacency};
    return TACIT_OK;
}

/* The vote: one block in which all count alike. */
static void fill_even(tc_dp_fts_de_round *r)
{
    r->weights[0] = (uint32_t)(ldexp(1, TC_DP_FTS_DE_WEIGHT_BITS) / (double)r->plan.agents);
    r->weights[1] = r->weights[0];
}

static tacit_status set_sum(tc_dp_fts_de_round *r, const tc_dp_fts_de_options *o, bool vote,
                            tacit_error *err)
{
    const double clip = vote ? TC_DP_FTS_DE_VOTE_CLIP : tc_dp_fts_de_clip(o),
                 z = vote ? o->vote_multiplier : o->noise_multiplier;
    return r->shared.trustees.count ? set_shared(r, clip, z, err) : set_plan(r, o, clip, z, err);
}

tacit_status tc_dp_fts_de_round_init(tc_dp_fts_de_round *r, const tc_env *env,
                                     const tc_dp_fts_de_options *o, uint64_t round,
                                     tacit_error *err)
{
    const size_t agents = env->agents > 0 ? (size_t)env->agents : 1;
    const bool vote = tc_dp_fts_de_is_vote(o, round);
    size_t P = vote ? 1 : tc_dp_fts_de_regions(o), groups = agents < P ? agents : P,
           width = vote ? TC_DP_FTS_DE_VOTE_GRID : (size_t)o->features;
    tc_dp_fts_de_round made = {
        .plan = {.agents = agents,
                 .blocks = P,
                 .width = width,
                 .groups = groups,
                 .weight_bits = TC_DP_FTS_DE_WEIGHT_BITS},
        .shared = {.trustees = env->trustees, .agents = agents, .groups = groups, .width = width}};
    TC_TRY(tc_dp_fts_de_check(o, err));
    TC_TRY(tc_dp_fts_de_check_trustees(env, o, err));
    made.weights = tc_alloc(2 * P, sizeof *made.weights);
    if (!made.weights)
        return tc_fail_memory(err);
    made.plan.weights = made.weights;
    made.plan.away = made.weights + P;
    if (vote)
        fill_even(&made);
    else
        fill_weights(&made, o, tc_dp_fts_de_release_of(o, round));
    tacit_status status = set_sum(&made, o, vote, err);
    if (status != TACIT_OK) {
        tc_dp_fts_de_round_fini(&made);
        return status;
    }
    *r = made;
    return TACIT_OK;
}

void tc_dp_fts_de_round_fini(tc_dp_fts_de_round *r)
{
    tc_free(r->weights);
    *r = (tc_dp_fts_de_round){0};
}

tc_dp_fts_de_form tc_dp_fts_de_round_form(const tc_dp_fts_de_round *r, uint64_t round)
{
    return (tc_dp_fts_de_form){
        .round = round, .width = r->plan.width, .grid = r->grid, .clip = r->clip};
}

/* In sound mode the form follows from the clip norm alone, without weights and noise; not so the grid of trustees. */
tacit_status tc_dp_fts_de_form_init(tc_dp_fts_de_form *f, const tc_env *env,
                                    const tc_dp_fts_de_options *o, uint64_t round, tacit_error *err)
{
    const bool vote = tc_dp_fts_de_is_vote(o, round);
    tc_dp_fts_de_round r = {.plan = {.width = vote ? TC_DP_FTS_DE_VOTE_GRID : (size_t)o->features}};
    if (o->mode == TC_DP_FTS_DE_PAPER || env->trustees.count > 0) {
        TC_TRY(tc_dp_fts_de_round_init(&r, env, o, round, err));
    } else {
        TC_TRY(
            tc_sum_plan_clip(&r.plan, vote ? TC_DP_FTS_DE_VOTE_CLIP : tc_dp_fts_de_clip(o), err));
        r.grid = r.plan.grid;
        r.clip = r.plan.clip;
    }
    *f = tc_dp_fts_de_round_form(&r, round);
    tc_dp_fts_de_round_fini(&r);
    return TACIT_OK;
}
