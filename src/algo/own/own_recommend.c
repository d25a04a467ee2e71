/* own_recommend.c - the point that an agent's own model recommends: of those that it tried, the one where the mean over
 * the three models is largest (own.h). What was heard speaks with the weight that the agent's own values give it. */
#include "algo/own/own_int.h"

#include "base/error.h"

#include <math.h>

/* At observation i: what the columns of a member say there. variance: of the process alone. */
static tc_trend_point point_at(const tc_own *o, const tc_own_member *m, size_t i, double variance)
{
    double from[TC_OWN_COLUMNS_ALL] = {0};
    for (int c = 0; c < TC_OWN_COLUMNS; c++)
        from[c] = tc_own_view_observed(m->view, c, i);
    for (int c = 0; c < TC_TREND_MOST; c++) /* as if no trial ran */
        from[TC_OWN_NEAR + c] = from[c];
    return tc_own_point(m, from, o->informed ? o->at_observed[i] : 0, variance);
}

static double mean_at(const tc_own *o, size_t i)
{
    double mean = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        const tc_own_member *m = &o->member[k];
        if (m->weight == 0)
            continue;
        const tc_trend_point x = point_at(o, m, i, 0);
        mean += m->weight * tc_trend_at(&m->trend, &x).mean;
    }
    return mean;
}

/* The variance of a mixture: the mean of the variances, and what the means differ. */
static tacit_status variance_at(const tc_own *o, size_t i, double mean, double *out,
                                tacit_error *err)
{
    *out = 0;
    for (int k = 0; k < TC_OWN_MODELS; k++) {
        const tc_own_member *m = &o->member[k];
        double variance;
        if (m->weight == 0)
            continue;
        TC_TRY(tc_model_variance(&m->view->model, i, &variance, err));
        const tc_trend_point x = point_at(o, m, i, variance);
        const tc_trend t = tc_own_trend_alone(m);
        const tc_trend_value v = tc_trend_at(&t, &x);
        *out += m->weight * (fmax(v.variance, 0) + (v.mean - mean) * (v.mean - mean));
    }
    return TACIT_OK;
}

static tacit_status recommend(tc_own *o, tc_recommended *out, tacit_error *err)
{
    const tc_model *m = &o->wide.model;
    tc_pick pick = TC_PICK;
    double variance;
    *out = (tc_recommended){.noise = m->noisy ? TC_NOISE_ADDED : TC_NOISE_UNKNOWN,
                            .share = tc_model_share(m)};
    for (size_t i = 0; i < o->env->history->n; i++)
        tc_pick_offer(&pick, o->env->history, i, mean_at(o, i));
    if (!tc_pick_end(&pick, out))
        return TACIT_OK;
    tc_own_close(
        o); /* running trials do not make it surer, and processes believe in nothing from here on */
    TC_TRY(variance_at(o, out->at, pick.top, &variance, err));
    out->mean = m->mean + m->sd * pick.top;
    out->sd = m->sd * sqrt(variance);
    return TACIT_OK;
}

tacit_status tc_own_recommend(tc_own *o, tc_recommended *out, tacit_error *err)
{
    if (!tc_model_ready(&o->wide.model)) {
        *out = (tc_recommended){.none = TC_RECOMMEND_TOO_FEW};
        return TACIT_OK;
    }
    tacit_status status = tc_own_sync(o, err);
    if (status == TACIT_OK) {
        tc_own_mix(o);
        status = recommend(o, out, err);
    }
    tc_own_close(o);
    return status;
}
