/* own_alone.c - the agent's process by itself, for algorithms that mix it with other models in a way of their own (own.h). */
#include "algo/own/own_int.h"

#include "base/error.h"
#include "num/gp_multiples.h"

tacit_status tc_own_open(tc_own *o, tacit_error *err)
{
    const size_t dim = o->env->space->dim;
    TC_TRY(tc_own_sync(o, err));
    tc_own_mix(o);
    if (o->env->space->domain)
        return TACIT_OK;
    const size_t size =
        (TC_OWN_COLUMNS_ALL + 1) * dim + tc_gp_multiples_scratch(tc_gp_size(o->wide.model.gp), dim);
    return tc_grow((void **)&o->slots, &o->slots_cap, size, sizeof *o->slots) ? TACIT_OK
                                                                              : tc_fail_memory(err);
}

void tc_own_close(tc_own *o)
{
    tc_own_view_forget(&o->wide);
    tc_own_view_forget(&o->narrow);
}

double tc_own_best(const tc_own *o)
{
    return o->member[TC_OWN_ALONE].best;
}

const double *tc_own_targets(const tc_own *o)
{
    return o->wide.model.z;
}

static tc_own_value value_of(const tc_own_member *m, const tc_trend_point *x)
{
    const tc_trend_value v = tc_trend_at(&m->trend, x);
    return (tc_own_value){.mean = v.mean, .variance = v.variance};
}

tc_own_value tc_own_candidate(const tc_own *o, size_t j)
{
    const tc_own_member *m = &o->member[TC_OWN_ALONE];
    const tc_own_view *v = m->view;
    double from[TC_OWN_COLUMNS_ALL];
    for (size_t c = 0; c < v->columns; c++)
        from[c] = v->from[c * v->stride + j];
    const tc_trend_point x = tc_own_point(m, from, 0, tc_fgp_variance(v->model.fgp)[j]);
    return value_of(m, &x);
}

tc_own_value tc_own_at(const tc_own *o, const double *u, double *d_mean, double *d_variance)
{
    const tc_own_member *m = &o->member[TC_OWN_ALONE];
    const tc_own_view *v = m->view;
    const size_t dim = o->env->space->dim;
    double from[TC_OWN_COLUMNS_ALL], variance, *d_from = o->slots,
                                               *d_var = d_from + TC_OWN_COLUMNS_ALL * dim;
    const tc_gp_multiple all = {.g = v->model.gp,
                                .W = v->from,
                                .mean = from,
                                .var = &variance,
                                .d_mean = d_mean ? d_from : NULL,
                                .d_var = d_mean ? d_var : NULL};
    tc_gp_multiples_at(1, &all, v->columns, u, d_var + dim);
    const tc_trend_point x = tc_own_point(m, from, 0, variance);
    for (size_t d = 0; d_mean && d < dim; d++) {
        double along[TC_OWN_COLUMNS_ALL];
        for (size_t c = 0; c < v->columns; c++)
            along[c] = d_from[c * dim + d];
        tc_trend_point dx = tc_own_point(m, along, 0, d_var[d]);
        dx.h[0] = 0; /* the constant has no slope */
        const tc_trend_value s = tc_trend_slope(&m->trend, &x, &dx);
        d_mean[d] = s.mean;
        d_variance[d] = s.variance;
    }
    return value_of(m, &x);
}

void tc_own_covariance(const tc_own *o, double *C, double *noise)
{
    const tc_history *h = o->env->history;
    const tc_gp_hyper *p = &o->wide.model.hyper;
    const tc_kernel k = {
        .kind = p->kind, .dim = h->dim, .variance = p->variance, .scale = p->scale};
    const double level = o->member[TC_OWN_ALONE].prior.variance[0];
    tc_kernel_gram(&k, h->n, h->U, h->ld, C, h->n);
    for (size_t j = 0; j < h->n; j++)
        for (size_t i = j; i < h->n; i++)
            C[i + j * h->n] += level;
    *noise = p->noise;
}

double tc_own_target_noise(const tc_own *o, size_t i)
{
    return tc_model_noise(&o->wide.model, i);
}
