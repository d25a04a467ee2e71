/* design.c - uniform and Sobol' designs over any space. See design.h. */
#include "algo/single/design.h"

#include <math.h>

/* The level of a stepped or categorical parameter at fraction t: equal shares. */
static double level_at(double t, double levels)
{
    double k = floor(t * levels);
    return k < levels ? k : levels - 1;
}

/* A stepped value at fraction t. On a log scale every level gets the share of
 * the log axis that rounds to it; on a linear one all levels get equal shares. */
static double stepped(const tc_param *p, double t)
{
    double levels = floor((p->high - p->low) / p->step + 1e-9) + 1;
    if (!p->log)
        return p->low + p->step * level_at(t, levels);
    double low = log(p->low), high = log(p->low + p->step * (levels - 1));
    double k = nearbyint((exp(low + t * (high - low)) - p->low) / p->step);
    return p->low + p->step * fmin(fmax(k, 0), levels - 1);
}

static double continuous(const tc_param *p, double t)
{
    double v = p->log ? exp(log(p->low) + t * (log(p->high) - log(p->low)))
                      : p->low + t * (p->high - p->low);
    return fmin(fmax(v, p->low), p->high);
}

static double value_at(const tc_space *s, const tc_param *p, double t)
{
    switch (p->type) {
    case TC_PARAM_CHOICE:
        return level_at(t, (double)p->n_choices);
    case TC_PARAM_POINT:
        return level_at(t, (double)s->domain->n);
    case TC_PARAM_INT:
        return stepped(p, t);
    case TC_PARAM_FLOAT:
        break;
    }
    return p->step > 0 ? stepped(p, t) : continuous(p, t);
}

void tc_design_values(const tc_space *s, const double *t, double *values)
{
    for (size_t i = 0; i < s->n_params; i++)
        values[i] = value_at(s, &s->params[i], t[i]);
}

void tc_design_uniform(const tc_env *env, uint64_t i, double *values)
{
    const tc_space *s = env->space;
    tc_stream stream;
    tc_stream_party(&stream, &env->party_seed, env->party, TC_FOR_DESIGN, i);
    for (size_t p = 0; p < s->n_params; p++)
        values[p] = value_at(s, &s->params[p], tc_draw_uniform(&stream));
}

void tc_design_init(tc_design *d, const tc_env *env)
{
    tc_stream stream;
    tc_stream_public(&stream, &env->public_seed, TC_FOR_DESIGN, 0);
    d->space = env->space;
    tc_sobol_init(&d->sobol, env->space->n_params, &stream);
}

void tc_design_point(const tc_design *d, uint64_t i, double *values)
{
    tc_sobol_point(&d->sobol, i, values);
    for (size_t p = 0; p < d->space->n_params; p++)
        values[p] = value_at(d->space, &d->space->params[p], values[p]);
}
