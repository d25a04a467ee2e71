/* own.c - the agent's own model: life, what it has heard, and how it follows the history (own.h). */
#include "algo/own/own_int.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* How much of the agent's own variance is left to g where what was heard is right and known exactly. */
#define TRUSTED_RATIO 0.25

enum { ANCHORS_LEAST = 3 }; /* two always have the values -1 and 1 */

/* The defaults of ts, gp-ei and gp-ucb. */
static const tc_model_opts defaults = {.kernel = TC_KERNEL_MATERN52,
                                       .ard = true,
                                       .fit = true,
                                       .standardize = true,
                                       .lengthscale = 0.3,
                                       .variance = 1,
                                       .noise = 1e-4,
                                       .repeat = TC_REPEAT_AUTO};

/* Enough for a first look at a function, and never most of what an agent may spend. */
int64_t tc_own_initial(uint64_t trials)
{
    const int64_t least = 3, most = 10;
    const uint64_t third = trials / 3;
    if (trials == 0 || third > (uint64_t)most)
        return most;
    return (int64_t)third > least ? (int64_t)third : least;
}

static tacit_status build(tc_own *o, const tc_env *env, size_t initial, tacit_error *err)
{
    o->env = env;
    o->opts = defaults;
    o->opts.init = (int64_t)initial;
    TC_TRY(tc_own_view_init(&o->wide, env, &o->opts, initial, err));
    TC_TRY(tc_own_view_init(&o->narrow, env, &o->opts, initial, err));
    tc_design_init_party(&o->wide.model.design, env);
    if (!env->space->domain)
        return tc_acquirer_init(&o->acquirer, &o->wide.model, TC_SEARCH_LBFGS, err);
    o->at_candidates = tc_alloc(env->space->domain->n, sizeof *o->at_candidates);
    return o->at_candidates ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_own_new(tc_own **out, const tc_env *env, size_t initial, tacit_error *err)
{
    tc_own *o = tc_alloc(1, sizeof *o);
    if (!o)
        return tc_fail_memory(err);
    tacit_status status = build(o, env, initial, err);
    if (status == TACIT_OK)
        *out = o;
    else
        tc_own_free(o);
    return status;
}

void tc_own_free(tc_own *o)
{
    if (!o)
        return;
    tc_own_view_fini(&o->wide);
    tc_own_view_fini(&o->narrow);
    tc_acquirer_fini(&o->acquirer);
    tc_free(o->at_candidates);
    tc_free(o->at_observed);
    tc_free(o->at_taken);
    tc_free(o->block);
    tc_free(o->slots);
    tc_free(o);
}

/* ---- what is heard ---- */

void tc_own_hear(tc_own *o, const tc_heard *h)
{
    const tc_domain *d = o->env->space->domain;
    o->heard = *h;
    o->informed = true;
    o->n_heard = 0;
    o->narrow.ratio = fmin(1, TRUSTED_RATIO + h->error);
    if (d)
        h->many(h->ctx, d->n, d->u, d->n, o->at_candidates);
}

/* Evaluates what was heard at the observations that have come since and at the taken points. */
static tacit_status listen(tc_own *o, tacit_error *err)
{
    const tc_history *h = o->env->history;
    if (!tc_grow((void **)&o->at_observed, &o->observed_cap, h->n, sizeof *o->at_observed) ||
        !tc_grow((void **)&o->at_taken, &o->taken_cap, h->n_taken, sizeof *o->at_taken))
        return tc_fail_memory(err);
    if (o->env->space->domain) {
        for (size_t i = o->n_heard; i < h->n; i++)
            o->at_observed[i] = o->at_candidates[h->point[i]];
        for (size_t i = 0; i < h->n_taken; i++)
            o->at_taken[i] = o->at_candidates[h->taken_point[i]];
    } else {
        o->heard.many(o->heard.ctx, h->n - o->n_heard, h->U + o->n_heard, h->ld,
                      o->at_observed + o->n_heard);
        if (h->n_taken > 0)
            o->heard.many(o->heard.ctx, h->n_taken, h->taken, h->taken_ld, o->at_taken);
    }
    o->n_heard = h->n;
    return TACIT_OK;
}

/* ---- following the history ---- */

tacit_status tc_own_sync(tc_own *o, tacit_error *err)
{
    tc_own_trend trend = {0};
    TC_TRY(tc_model_standardise_by_anchors(&o->wide.model, err));
    const double unit = o->wide.model.sd;
    TC_TRY(tc_model_sync(&o->wide.model, err));
    o->unit = unit / o->wide.model.sd;
    o->noise = tc_model_next_noise(&o->wide.model);
    if (o->informed) {
        TC_TRY(listen(o, err));
        trend = (tc_own_trend){
            .observed = o->at_observed, .taken = o->at_taken, .candidates = o->at_candidates};
    }
    TC_TRY(tc_own_view_columns(&o->wide, &trend, err));
    if (!o->informed || o->narrow.ratio >= 1)
        return TACIT_OK;
    tc_model_follow(&o->narrow.model, &o->wide.model, o->narrow.ratio);
    TC_TRY(tc_model_sync(&o->narrow.model, err));
    return tc_own_view_columns(&o->narrow, &trend, err);
}

tacit_status tc_own_values(tc_own *o, const double **z, tacit_error *err)
{
    tc_model *m = &o->wide.model;
    TC_TRY(tc_model_standardise_by_anchors(m, err));
    if (tc_model_anchors(m) < ANCHORS_LEAST)
        memset(m->z, 0, o->env->history->n * sizeof *m->z);
    *z = m->z;
    return TACIT_OK;
}

double tc_own_noise(const tc_own *o, size_t i)
{
    return tc_model_noise(&o->wide.model, i);
}

bool tc_own_fit_due(const tc_own *o)
{
    return tc_model_fit_due(&o->wide.model);
}

tacit_status tc_own_fit(tc_own *o, tc_text *out, tacit_error *err)
{
    return tc_model_fit(&o->wide.model, out, err);
}

tacit_status tc_own_fitted(tc_own *o, const char *body, tacit_error *err)
{
    return tc_model_fitted(&o->wide.model, body, err);
}

double tc_own_weight(const tc_own *o, int model)
{
    return o->member[model].weight;
}
