/* widths.c - where rewards are cut, and how wide the confidence bounds are.
 *
 * Theory: Zhou and Tan (2021), Theorems 2 to 4, with lambda^-1/2 where the proof has it and the
 * exponent of Theorem 4; Chowdhury and Gopalan (2019) for heavy tails. Practical: the same orders
 * with the constants of the latters' code, where one has been written down. docs/math.md, "Local
 * privacy", has the formulas. */
#include "algo/ldp/ldp_int.h"

#include "base/error.h"

#include <math.h>

/* The horizon where the study has none. */
enum { USUAL_HORIZON = 10000 };

static double horizon(const tc_ldp_options *o, const tc_env *env)
{
    if (o->horizon > 0)
        return (double)o->horizon;
    return env->budget > 0 ? (double)env->budget : USUAL_HORIZON;
}

static tc_law common(const tc_ldp_options *o, const tc_env *env)
{
    return (tc_law){.practical = o->scale == TC_SCALE_PRACTICAL,
                    .B = o->bound,
                    .lambda = o->lambda,
                    .delta = o->delta,
                    .T = fmax(horizon(o, env), 2),
                    .accuracy = o->accuracy,
                    .alpha = 1};
}

/* The largest magnitude of a bounded reply. */
static double reach_of(const tc_reply *r)
{
    double steps =
        r->kind == TACIT_REPLY_ONE_BIT ? 1 : 2 * (double)r->reach + (double)r->window - 1;
    return fabs(r->offset) + r->step * steps;
}

static tacit_status add_replies(tc_law *l, const tc_ldp_options *o, tacit_error *err)
{
    tc_reply reply;
    double B = o->bound, R = o->noise_bound;
    TC_TRY(tc_ldp_reply(o, &reply, err));
    l->tail = reply.kind == TACIT_REPLY_LAPLACE ? TC_REWARD_LAPLACE : TC_REWARD_BOUNDED;
    l->c = R * R + reply.sd * reply.sd;
    l->v = B * B + l->c;
    l->first = B + R;
    l->slope = 2 * (B + R) / o->epsilon;
    if (l->tail == TC_REWARD_BOUNDED)
        l->reach = reach_of(&reply);
    return TACIT_OK;
}

tacit_status tc_law_init(tc_law *l, const tc_ldp_options *o, const tc_env *env, tacit_error *err)
{
    *l = common(o, env);
    if (o->epsilon > 0)
        return add_replies(l, o, err);
    l->tail = o->tail == TC_TAIL_WEIBULL ? TC_REWARD_WEIBULL : TC_REWARD_MOMENT;
    l->alpha = o->alpha;
    l->v = o->reward_moment;
    l->c = o->noise_moment;
    l->theta = o->tail_theta;
    l->a = o->tail_a;
    l->b = o->tail_b;
    return TACIT_OK;
}

/* x^(1/(1 + alpha)) */
static double root(const tc_law *l, double x)
{
    return l->alpha == 1 ? sqrt(x) : pow(x, 1 / (1 + l->alpha));
}

/* t^((1 - alpha)/(2 (1 + alpha))): what a tail without a variance adds. */
static double growth(const tc_law *l, double t)
{
    return l->alpha == 1 ? 1 : pow(fmax(t, 1), (1 - l->alpha) / (2 * (1 + l->alpha)));
}

/* ---- tgp ---- */

double tc_tgp_cut(const tc_law *l, double t)
{
    switch (l->tail) {
    case TC_REWARD_LAPLACE:
        return l->first + l->slope * log(fmax(t, 1));
    case TC_REWARD_WEIBULL:
        return l->B + pow(fmax(log(l->a * t), 0) / l->b, l->theta);
    case TC_REWARD_MOMENT:
        return root(l, l->v * sqrt(fmax(t, 1)));
    case TC_REWARD_BOUNDED:
        break;
    }
    return INFINITY;
}

/* The most by which the cut may have moved the estimate. */
static double cut_bias(const tc_law *l, double t, double b)
{
    switch (l->tail) {
    case TC_REWARD_MOMENT:
        return b * sqrt(1 + l->alpha);
    case TC_REWARD_BOUNDED:
        return 0;
    case TC_REWARD_LAPLACE:
    case TC_REWARD_WEIBULL:
        break;
    }
    return sqrt(l->v * (log(t) + 1));
}

double tc_tgp_width(const tc_law *l, double t, double gain)
{
    if (t < 1)
        return l->B;
    double b = l->tail == TC_REWARD_BOUNDED ? l->reach : tc_tgp_cut(l, t + l->practical);
    if (l->practical)
        return l->B + b * sqrt(log(t + 1) / l->lambda);
    double spread = 2 * sqrt(2) * b * sqrt(gain + log(1 / l->delta));
    return l->B + (spread + cut_bias(l, t, b)) / sqrt(l->lambda);
}

/* ---- ata ---- */

/* The logarithm in its threshold and width. */
static double ata_log(const tc_law *l, size_t m)
{
    double features = (double)m;
    return l->practical ? log((features + 1) * l->T) : log(4 * fmax(features, 1) * l->T / l->delta);
}

double tc_ata_cut(const tc_law *l, double t, size_t m)
{
    return root(l, l->v / ata_log(l, m)) * growth(l, t);
}

/* B (1 + 1/sqrt(1 - accuracy)): the error of the features is in it. */
static double sketched_bound(const tc_law *l)
{
    return l->practical ? l->B : l->B * (1 + 1 / sqrt(1 - l->accuracy));
}

double tc_ata_width(const tc_law *l, double t, size_t m)
{
    double log_term = ata_log(l, m);
    double moment = root(l, l->v) * pow(log_term, l->alpha / (1 + l->alpha)) * growth(l, t);
    double spread = sqrt((double)m / l->lambda) * moment;
    return sketched_bound(l) + (l->practical ? 1 : 4) * spread;
}

/* ---- moma ---- */

double tc_moma_width(const tc_law *l, double n, size_t m)
{
    double features = (double)m * l->c;
    double spread = root(l, l->practical ? features : 9 * features) * growth(l, n);
    return sketched_bound(l) + (l->practical ? 1 : 3) * spread / sqrt(l->lambda);
}

double tc_moma_plays(const tc_law *l)
{
    return ceil(24 * log(4 * exp(1) * l->T / l->delta));
}

double tc_dictionary_rate(const tc_law *l)
{
    double e = l->accuracy, rho = (1 + e) / (1 - e);
    return (l->practical ? log(l->T) : 6 * rho * log(4 * l->T / l->delta)) / (e * e);
}
