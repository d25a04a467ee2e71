/* shared.c - what all agents of a study in one process have in common: features and filter, once the length-scale
 * is known. Public, and the same whoever makes it; agents hear the vote on several threads, so the first one makes
 * it and the others wait. agent.c calls this. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"

typedef tc_dp_fts_de_agent_state agent;

static tacit_status join(agent *a, tacit_error *err)
{
    const agent *sibling = a->env->sibling;
    if (sibling) {
        a->shared = sibling->shared;
        a->shared->users++;
        return TACIT_OK;
    }
    tc_dp_fts_de_shared *s = tc_alloc(1, sizeof *s);
    if (!s)
        return tc_fail_memory(err);
    *s = (tc_dp_fts_de_shared){.users = 1};
    pthread_mutex_init(&s->lock, NULL);
    a->shared = s;
    return TACIT_OK;
}

static tacit_status build(agent *a, double lengthscale, tacit_error *err)
{
    tc_dp_fts_de_shared *s = a->shared;
    const tc_dp_fts_de_options *o = a->opts;
    tc_features_spec spec = {.M = (size_t)o->features,
                             .regions = tc_dp_fts_de_regions(o),
                             .kernel = o->kernel,
                             .lengthscale = lengthscale,
                             .unit = o->unit,
                             .even = o->spectrum == TC_DP_FTS_DE_EVEN};
    if (!s->features)
        TC_TRY(tc_features_new(&s->features, a->env, &spec, err));
    a->features = s->features;
    if (!s->filter && tc_dp_fts_de_filter_applies(a))
        TC_TRY(tc_dp_fts_de_filter_new(&s->filter, a, err));
    s->lengthscale = lengthscale;
    s->built = true;
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_share(agent *a, double lengthscale, tacit_error *err)
{
    tc_dp_fts_de_shared *s = a->shared;
    tacit_status status = TACIT_OK;
    pthread_mutex_lock(&s->lock);
    if (!s->built)
        status = build(a, lengthscale, err);
    else if (s->lengthscale != lengthscale)
        status = tc_fail(err, TACIT_E_CORRUPT,
                         "two agents of this study heard different votes: length-scales %g and %g",
                         s->lengthscale, lengthscale);
    pthread_mutex_unlock(&s->lock);
    a->features = s->features;
    a->filter = s->filter;
    return status;
}

tacit_status tc_dp_fts_de_shared_init(agent *a, tacit_error *err)
{
    TC_TRY(join(a, err));
    if (tc_dp_fts_de_votes(a->opts) && tc_dp_fts_de_federated(a))
        return TACIT_OK; /* not known yet */
    return tc_dp_fts_de_share(a, tc_dp_fts_de_lengthscale(a->opts, a->env->space->dim), err);
}

void tc_dp_fts_de_shared_fini(agent *a)
{
    tc_dp_fts_de_shared *s = a->shared;
    if (!s || --s->users > 0)
        return;
    tc_features_unref(s->features);
    tc_dp_fts_de_filter_free(s->filter);
    pthread_mutex_destroy(&s->lock);
    tc_free(s);
}
