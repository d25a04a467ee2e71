/* core.c - what the agents of fts, rgpe and taf have in common: shared features, observations in
 * terms of them, and when they publish. */
#include "algo/fts/fts.h"

#include "base/error.h"

#include <inttypes.h>

/* ---- options ---- */

/* Options of the model on shared features, given though they would do nothing. */
static const char *idle_option(const tc_fts_common *o)
{
    return o->y_mean != 0 ? "y_mean" : o->y_scale != 1 ? "y_scale" : NULL;
}

tacit_status tc_fts_common_check(const void *opts, tacit_error *err)
{
    const tc_fts_common *o = opts;
    const char *idle = o->own == TC_FTS_OWN_GP ? idle_option(o) : NULL;
    if (idle)
        return tc_fail(err, TACIT_E_ARG, "%s is for own=features, and own is gp", idle);
    if (o->own == TC_FTS_OWN_GP && o->initial < 1)
        return tc_fail(err, TACIT_E_ARG,
                       "own=gp needs an initial point at least, got initial=%" PRId64, o->initial);
    if (o->lengthscale > 0 && o->lengthscale < 1e-3)
        return tc_fail(err, TACIT_E_ARG,
                       "lengthscale must be 0 or a number in [0.001, 100], got %g", o->lengthscale);
    return TACIT_OK;
}

void tc_fts_begin(const tc_env *env, void *opts)
{
    tc_fts_common *o = opts;
    if (o->initial < 0)
        o->initial = tc_own_initial(env->budget);
}

tacit_status tc_fts_common_resolve_defaults(const tc_env *env, void *opts, tacit_error *err)
{
    tc_fts_common *o = opts;
    (void)err;
    o->lengthscale = tc_fts_lengthscale(o, env->space->dim);
    return TACIT_OK;
}

double tc_fts_lengthscale(const tc_fts_common *o, size_t dim)
{
    return o->lengthscale > 0 ? o->lengthscale : tc_usual_lengthscale(dim);
}

/* ---- */

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
                                 .lengthscale = tc_fts_lengthscale(c->opts, c->env->space->dim),
                                 .unit = c->opts->unit,
                                 .even = c->opts->own == TC_FTS_OWN_GP};
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
    TC_TRY(tc_fts_common_check(opts, err));
    TC_TRY(share_features(c, err));
    if (opts->own == TC_FTS_OWN_GP)
        TC_TRY(tc_own_new(&c->own, env, (size_t)opts->initial, err));
    c->due = tc_fts_federated(c) ? 0 : TC_FTS_NEVER;
    c->draw = TC_TAKE(&c->memory, M, double);
    return c->memory.failed ? tc_fail_memory(err) : TACIT_OK;
}

void tc_fts_core_fini(tc_fts_core *c)
{
    tc_own_free(c->own);
    tc_features_unref(c->features);
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

tacit_status tc_fts_standardise(const tc_fts_core *c, const double **z, tacit_error *err)
{
    *z = NULL;
    return c->own ? tc_own_values(c->own, z, err) : TACIT_OK;
}

double tc_fts_value(const tc_fts_core *c, const double *z, size_t i)
{
    return z ? z[i] : tc_standard_value(c->env->history->y[i], c->opts->y_mean, c->opts->y_scale);
}

double tc_fts_weight(const tc_fts_core *c, size_t i)
{
    const double scale = c->opts->y_scale, v = tc_history_noise(c->env->history, i);
    return tc_noise_weight(c->opts->noise, c->own ? tc_own_noise(c->own, i) : v / scale / scale);
}

const double *tc_fts_weighed(const tc_fts_core *c, double weight, const double *phi)
{
    for (size_t m = 0; weight != 1 && m < c->features->rff.M; m++)
        c->draw[m] = weight * phi[m];
    return weight != 1 ? c->draw : phi;
}

/* Every trial has a value, is taken or was deleted. */
uint64_t tc_fts_trial(const tc_fts_core *c)
{
    const tc_history *h = c->env->history;
    return h->n + h->n_taken + h->n_deleted;
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

/* ---- fits of an agent's own process ---- */

bool tc_fts_fit_due(const void *st)
{
    const tc_fts_core *c = st;
    return c->own && tc_own_fit_due(c->own);
}

tacit_status tc_fts_fit(void *st, tc_text *out, tacit_error *err)
{
    return tc_own_fit(((tc_fts_core *)st)->own, out, err);
}

tacit_status tc_fts_recommend(void *st, tc_recommended *out, tacit_error *err)
{
    const tc_fts_core *c = st;
    if (c->own)
        return tc_own_recommend(c->own, out, err);
    *out = (tc_recommended){.none = TC_RECOMMEND_FEATURES};
    return TACIT_OK;
}

tacit_status tc_fts_fitted(void *st, const char *body, tacit_error *err)
{
    tc_fts_core *c = st;
    if (!c->own)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the journal has a fit, and own=features fits nothing");
    return tc_own_fitted(c->own, body, err);
}

tacit_status tc_fts_check_publish(const tc_fts_core *c, uint64_t round, tacit_error *err)
{
    if (tc_fts_publishes(c) && round == c->due)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_CORRUPT,
                   "round %" PRIu64 " is not the one that this agent may publish in", round);
}
