/* schedule.c - how likely a query follows somebody else (Algorithm 1, line 3).
 *
 * 1 - p_t is 1/sqrt(t), 1/t, 1/t^2 or a constant for t > 1, and p_1 = p_2 unless p1 is given. With
 * p_1 = p_2 the condition of Theorem 1 fails at t = 2 whatever the schedule, because c_t grows: whoever
 * wants the theorem gives a smaller p1. */
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

/* c_t / beta_t = 1 + sqrt(2 ln(|X| t^2)) */
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

tacit_status tc_fts_settle(void *opts, tacit_error *err)
{
    tc_fts_options *o = opts;
    (void)err;
    o->p1 = 1 - tc_fts_follow(o, 1);
    return TACIT_OK;
}

void tc_fts_theorem(const tc_env *env, const void *opts, uint64_t rounds, tc_text *out)
{
    if (!env->space->domain) /* the theorem is about finitely many points */
        return;
    uint64_t t = tc_fts_condition(opts, (double)env->space->domain->n, rounds);
    tc_text_add(out, "Theorem 1's condition on p_t: ");
    if (t == 0)
        tc_text_add(out, "holds.");
    else
        tc_text_addf(out, "fails from t = %" PRIu64 ".", t);
}
