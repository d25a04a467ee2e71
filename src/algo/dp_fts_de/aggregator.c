/* aggregator.c - the coordinator of dp-fts-de (Algorithm 1, lines 4 to 10).
 *
 * One Gaussian sum (privacy/mechanism.h) of P blocks: the noise is drawn when the round opens,
 * contributions are clipped and summed in integers, in any order. The sum is released as it is; who
 * reads it divides by the sampling rate, a public constant. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "base/error.h"
#include "privacy/sampler.h"

#include <inttypes.h>
#include <sodium.h>

typedef struct aggregator {
    const tc_dp_fts_de_options *opts;
    uint64_t number; /* of the round */
    tc_dp_fts_de_round round;
    tc_sum *sum;
    int64_t *v;          /* M */
    int64_t *nothing;    /* M zeros: what an agent counts that fixed sampling left out */
    unsigned char *left; /* by agent: a secret */
    tc_arena memory;
} aggregator;

static uint64_t roster(const tc_env *env)
{
    return env->agents > 0 ? env->agents : 1;
}

static tacit_status check_agent(uint64_t agents, uint64_t agent, tacit_error *err)
{
    if (agent < agents)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "agent %" PRIu64 " is not on the roster of %" PRIu64 " agents",
                   agent, agents);
}

static tacit_status check(const tc_env *env, const void *opts, uint64_t round, uint64_t agent,
                          const void *bytes, size_t n, tacit_error *err)
{
    tc_dp_fts_de_form form;
    TC_TRY(check_agent(roster(env), agent, err));
    TC_TRY(tc_dp_fts_de_form_init(&form, env, opts, round, err));
    return tc_dp_fts_de_message_read(&form, bytes, n, NULL, err);
}

static tacit_status message_bytes(const tc_env *env, const void *opts, uint64_t round,
                                  uint64_t *out, tacit_error *err)
{
    tc_dp_fts_de_form form;
    TC_TRY(tc_dp_fts_de_form_init(&form, env, opts, round, err));
    *out = TC_DP_FTS_DE_HEADER + 8 * form.width;
    return TACIT_OK;
}

/* Release r follows trial initial + r of an agent, and no round comes after the last trial. */
static tacit_status next_round(const tc_env *env, const void *opts, uint64_t from, uint64_t *out,
                               tacit_error *err)
{
    const tc_dp_fts_de_options *o = opts;
    tc_dp_fts_de_releases r;
    uint64_t initial = (uint64_t)o->initial;
    TC_TRY(tc_dp_fts_de_releases_init(&r, o->releases, err));
    *out = tc_dp_fts_de_next_round(o, &r, from);
    uint64_t release = *out == TC_DP_FTS_DE_NEVER || tc_dp_fts_de_is_vote(o, *out)
                           ? 0
                           : tc_dp_fts_de_release_of(o, *out);
    if (env->budget > 0 && (env->budget <= initial || release >= env->budget - initial))
        *out = TC_NO_ROUND;
    tc_dp_fts_de_releases_fini(&r);
    return TACIT_OK;
}

static const char *about(const void *opts, uint64_t round)
{
    if (!tc_dp_fts_de_votes(opts))
        return NULL;
    return tc_dp_fts_de_is_vote(opts, round) ? "vote on the length-scale" : "weights";
}

/* Fixed sampling is charged as if everybody took part: the known bounds for it ask for more. */
static tacit_status price(const tc_env *env, const void *opts, uint64_t round, tc_round_price *out,
                          tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, env, opts, round, err));
    *out = r.price;
    tc_dp_fts_de_round_fini(&r);
    return TACIT_OK;
}

/* The first m of a shuffle, without keeping the order: agent n is left out with the probability
 * that those still to be left out have among those still to be seen. */
static void leave_out(aggregator *a, uint64_t agents, tc_entropy *e)
{
    uint64_t out = agents - tc_dp_fts_de_sampled(a->opts, agents);
    for (uint64_t n = 0; n < agents; n++) {
        a->left[n] = (unsigned char)(tc_sample_below(e, agents - n) < out);
        out -= a->left[n];
    }
}

static tacit_status open(void *st, const tc_env *env, const void *opts, uint64_t round,
                         tc_entropy *e, tacit_error *err)
{
    aggregator *a = st;
    uint64_t agents = roster(env);
    a->opts = opts;
    a->number = round;
    TC_TRY(tc_dp_fts_de_round_init(&a->round, env, a->opts, round, err));
    a->v = TC_TAKE(&a->memory, a->round.plan.width, int64_t);
    a->nothing = TC_TAKE(&a->memory, a->round.plan.width, int64_t);
    a->left = TC_TAKE(&a->memory, (size_t)agents, unsigned char);
    if (a->memory.failed)
        return tc_fail_memory(err);
    if (a->opts->sampling == TC_DP_FTS_DE_FIXED)
        leave_out(a, agents, e);
    return tc_sum_open(&a->sum, &a->round.plan, e, err);
}

static void fini(void *st)
{
    aggregator *a = st;
    tc_sum_free(a->sum);
    if (a->left)
        sodium_memzero(a->left, a->round.plan.agents);
    tc_dp_fts_de_round_fini(&a->round);
    tc_arena_fini(&a->memory);
}

static tacit_status fold(void *st, uint64_t agent, const void *bytes, size_t n, tacit_error *err)
{
    aggregator *a = st;
    const tc_dp_fts_de_form form = tc_dp_fts_de_round_form(&a->round, a->number);
    TC_TRY(check_agent(a->round.plan.agents, agent, err));
    TC_TRY(tc_dp_fts_de_message_read(&form, bytes, n, a->v, err));
    if (a->round.clip < a->round.plan.clip) /* else the sum clips to the same norm */
        tc_clip_l2(a->v, a->round.plan.width, a->round.clip);
    return tc_sum_fold(a->sum, (size_t)agent, a->left[agent] ? a->nothing : a->v, err);
}

static tacit_status close_round(void *st, tc_release **out, tacit_error *err)
{
    return tc_sum_close(((aggregator *)st)->sum, out, err);
}

/* ---- where there are trustees */

static tacit_status shared(const tc_env *env, const void *opts, uint64_t round, tc_shared_plan *out,
                           tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, env, opts, round, err));
    *out = r.shared;
    tc_dp_fts_de_round_fini(&r);
    return TACIT_OK;
}

/* A message is clipped where it is made; whoever shares one clips it again, for nobody else will. */
static tacit_status vector(const tc_env *env, const void *opts, uint64_t round, const void *bytes,
                           size_t n, int64_t *v, tacit_error *err)
{
    tc_dp_fts_de_form form;
    TC_TRY(tc_dp_fts_de_form_init(&form, env, opts, round, err));
    TC_TRY(tc_dp_fts_de_message_read(&form, bytes, n, v, err));
    tc_clip_l2(v, form.width, form.clip);
    return TACIT_OK;
}

const tc_aggregator_ops tc_dp_fts_de_aggregator = {
    .state_size = sizeof(aggregator),
    .next_round = next_round,
    .about = about,
    .price = price,
    .check = check,
    .open = open,
    .fold = fold,
    .close = close_round,
    .fini = fini,
    .recommend = tc_dp_fts_de_recommend,
    .message_bytes = message_bytes,
    .shared = shared,
    .vector = vector,
};
