/* core.c - what the agents of fts, rgpe and taf have in common: shared features, observations in
 * terms of them, and when they publish. */
#include "algo/fts/fts.h"

#include "base/error.h"

#include <inttypes.h>

static tacit_status check_roster(const tc_env *env, tacit_error *err)
{
    if (env->agents <= 1 || env->party < env->agents)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "party %" PRIu64 " is not on the roster of %" PRIu64 " agents",
                   env->party, env->agents);
}

static tacit_status share_features(tc_fts_core *c, tacit_error *err)
{
    const tc_fts_core *sibling = c->env->sibling;
    if (!sibling) {
        tc_features_spec spec = {.M = (size_t)c->opts->features,
                                 .regions = 1,
                                 .kernel = c->opts->kernel,
                                 .lengthscale = c->opts->lengthscale,
                                 .unit = c->opts->unit};
        return tc_features_new(&c->features, c->env, &spec, err);
    }
    c->features = sibling->features;
    c->features->users++;
    return TACIT_OK;
}

tacit_status tc_fts_core_init(tc_fts_core *c, const tc_env *env, const tc_fts_common *opts,
                              tacit_error *err)
{
    size_t M = (size_t)opts->features;
    c->env = env;
    c->opts = opts;
    TC_TRY(check_roster(env, err));
    TC_TRY(share_features(c, err));
    c->due = tc_fts_federated(c) ? 0 : TC_FTS_NEVER;
    c->draw = TC_TAKE(&c->memory, M, double);
    return c->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

void tc_fts_core_fini(tc_fts_core *c)
{
    tc_features_release(c->features);
    tc_arena_fini(&c->memory);
}

const double *tc_fts_phi(const tc_fts_core *c, size_t i, double *scratch)
{
    const tc_history *h = c->env->history;
    const tc_features *f = c->features;
    if (f->n > 0)
        return f->Phi + f->place[h->point[i]] * f->rff.M;
    tc_rff_many(&f->rff, 1, h->U + i, h->ld, scratch, f->rff.M);
    return scratch;
}

double tc_fts_value(const tc_fts_core *c, size_t i)
{
    return tc_standard_value(c->env->history->y[i], c->opts->y_mean, c->opts->y_scale);
}

/* Every trial has a value or is taken. */
uint64_t tc_fts_trial(const tc_fts_core *c)
{
    return c->env->history->n + c->env->history->n_taken;
}

bool tc_fts_federated(const tc_fts_core *c)
{
    return c->env->agents > 1;
}

bool tc_fts_publishes(const tc_fts_core *c)
{
    uint64_t n = c->env->history->n;
    return c->due != TC_FTS_NEVER && n >= c->due && n - c->due >= (uint64_t)c->opts->initial;
}

tacit_status tc_fts_check_publish(const tc_fts_core *c, uint64_t round, tacit_error *err)
{
    if (tc_fts_publishes(c) && round == c->due)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "round %" PRIu64 " is not the one that this agent may publish in", round);
}
