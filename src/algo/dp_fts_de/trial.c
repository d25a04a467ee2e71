/* trial.c - the points of an agent (Algorithm 2, lines 4 to 9): initial ones at home, then its own
 * Thompson draw or the broadcast's maximum, and what it learns from a value. */
#include "algo/dp_fts_de/agent.h"

#include "algo/single/design.h"
#include "space/partition.h"

typedef tc_de_agent_state agent;

static void any_point(const agent *a, uint64_t trial, double *values)
{
    tc_design_uniform(a->env, trial, values);
}

/* A uniform point of the agent's own region; of a finite space one of its candidates. A region
 * without candidates stands for the whole space. */
static void point_at_home(const agent *a, uint64_t trial, double *values)
{
    const tc_features *f = a->features;
    size_t home = tc_de_home(a->opts, a->env->party), dim = a->env->space->dim;
    tc_stream s;
    tc_stream_party(&s, &a->env->party_seed, a->env->party, TC_FOR_DESIGN, trial);
    if (a->env->space->domain) {
        size_t from = f->start[home], n = f->start[home + 1] - from;
        if (n == 0)
            any_point(a, trial, values);
        else
            values[0] = (double)f->order[from + tc_draw_below(&s, n)];
        return;
    }
    tc_region_box(home, f->regions, dim, a->low, a->high);
    for (size_t d = 0; d < dim; d++)
        a->low[d] += (a->high[d] - a->low[d]) * tc_draw_uniform(&s);
    tc_space_decode(a->env->space, a->low, values);
}

static bool follows(const agent *a, uint64_t trial)
{
    tc_stream s;
    if (!a->informed)
        return false;
    tc_stream_party(&s, &a->env->party_seed, a->env->party, TC_FOR_COIN, trial);
    uint64_t t = trial - (uint64_t)a->opts->initial + 1;
    return tc_draw_uniform(&s) < tc_de_follow(a->opts, t);
}

static tacit_status follow(agent *a, uint64_t trial, double *values, tacit_error *err)
{
    if (a->opts->broadcast == TC_DE_UNIFORM) {
        any_point(a, trial, values);
        return TACIT_OK;
    }
    tc_target target = {.omega = a->omega,
                        .regions = (size_t)a->opts->regions,
                        .since = a->absorbed,
                        .radius = a->opts->lengthscale / 2};
    return tc_search_maximise(&a->search, &target, trial, values, err);
}

static tacit_status thompson(agent *a, uint64_t trial, double *values, tacit_error *err)
{
    tc_stream s;
    tc_stream_party(&s, &a->env->party_seed, a->env->party, TC_FOR_DRAW, trial);
    tc_blr_sample(a->model, &s, a->draw);
    tc_target target = {.omega = a->draw, .regions = 1};
    return tc_search_maximise(&a->search, &target, trial, values, err);
}

tacit_status tc_de_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    agent *a = st;
    if (trial < (uint64_t)a->opts->initial) {
        if (tc_de_federated(a) && a->opts->init == TC_DE_BY_REGION)
            point_at_home(a, trial, values);
        else
            any_point(a, trial, values);
        return TACIT_OK;
    }
    return follows(a, trial) ? follow(a, trial, values, err) : thompson(a, trial, values, err);
}

tacit_status tc_de_tell(void *st, tacit_error *err)
{
    agent *a = st;
    const tc_history *h = a->env->history;
    const tc_features *f = a->features;
    size_t i = h->n - 1;
    (void)err;
    const double *phi = a->draw;
    if (f->n > 0)
        phi = f->Phi + f->place[h->point[i]] * f->rff.M;
    else
        tc_rff_many(&f->rff, 1, h->U + i, h->ld, a->draw, f->rff.M);
    tc_blr_add(a->model, phi, (h->y[i] - a->opts->y_mean) / a->opts->y_scale);
    return TACIT_OK;
}
