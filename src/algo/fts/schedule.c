/* schedule.c - how likely a query follows somebody else (Algorithm 1, line 3).
 *
 * 1 - p_t is 1/sqrt(t), 1/t, 1/t^2 or a constant for t > 1, and p_1 = p_2 unless p1 is given.
 *
 * Theorem 1 is about p_t in (0, 1] that never falls, goes to 1, and has
 *
 *     (1 - p_t) c_t <= (1 - p_1) c_1  for all t > 1,   c_t = beta_t (1 + sqrt(2 ln(|X| t^2)))
 *
 * Only a constant can keep p_t from 1, or make it 0; only p_1 > p_2 would be a fall, which the
 * inequality forbids at t = 2, because c_t grows. So it does with p_1 = p_2, whatever decays: whoever
 * wants the theorem gives a smaller p1. The theorem's beta_t grows with what t values can tell,
 * which nobody knows; tacit draws with beta_t = 1 and checks with it. A failure is then one for
 * every beta_t that never falls; what holds with 1 need not hold with another. */
#include "algo/fts/fts.h"

#include <inttypes.h>
#include <math.h>

static double fall(const tc_fts_options *o, double t)
{
    switch (o->schedule) {
    case TC_FTS_SQRT:
        return 1 / sqrt(t);
    case TC_FTS_INVERSE:
        return 1 / t;
    case TC_FTS_SQUARE:
        return 1 / (t * t);
    default:
        return o->follow;
    }
}

double tc_fts_follow(const tc_fts_options *o, uint64_t t)
{
    if (t == 1 && o->p1 > 0)
        return 1 - o->p1;
    return fall(o, t == 1 ? 2 : (double)t);
}

/* c_t / beta_t */
static double width(double points, double t)
{
    return 1 + sqrt(2 * log(points * t * t));
}

uint64_t tc_fts_condition(const tc_fts_options *o, double points, uint64_t T)
{
    double limit = tc_fts_follow(o, 1) * width(points, 1);
    for (uint64_t t = 2; t <= T; t++)
        if (tc_fts_follow(o, t) * width(points, (double)t) > limit)
            return t;
    return 0;
}

static bool goes_to_one(const tc_fts_options *o)
{
    return o->schedule != TC_FTS_CONSTANT || o->follow == 0;
}

tacit_status tc_fts_resolve_defaults(const tc_env *env, void *opts, tacit_error *err)
{
    tc_fts_options *o = opts;
    if (o->common.own == TC_FTS_OWN_FEATURES)
        o->p1 = 1 - tc_fts_follow(o, 1);
    return tc_fts_common_resolve_defaults(env, opts, err);
}

void tc_fts_theorem(const tc_env *env, const void *opts, uint64_t rounds, tc_text *out)
{
    const tc_fts_options *o = opts;
    /* The theorem is about finitely many points, and queries that follow others. */
    if (!env->space->domain || o->common.own == TC_FTS_OWN_GP)
        return;
    uint64_t t = tc_fts_condition(o, (double)env->space->domain->n, rounds);
    tc_text_add(out, "Theorem 1's condition on p_t: ");
    if (!goes_to_one(o))
        tc_text_add(out, "fails: p_t does not go to 1.");
    else if (t > 0)
        tc_text_addf(out, "fails at t = %" PRIu64 ".", t);
    else
        tc_text_addf(out, "holds with beta_t = 1, up to t = %" PRIu64 ".", rounds);
}
