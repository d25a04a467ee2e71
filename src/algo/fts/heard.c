/* heard.c - own=gp: an agent of fts with a Gaussian process of its own (algo/own), for which the messages of others are
 * something heard. agent.c and trial.c call this.
 *
 * It sends the posterior mean on the shared features of its values as they are standardised locally: a message is
 * about the shape of a function, and nobody has to know units or levels. After each round in which it
 * publishes it reads the messages of that round, of up to `reads` agents that it draws by P_N. Their mean,
 * after the filter (filter.c), is one function that may be right or wrong: the agent's values decide what it is worth (own.h).
 *
 * This is not the step of Algorithm 1, where a query is either the agent's own or the maximum of one message. With agents
 * that are not alike that step has up to 1.8 times the regret of working alone; this one is not worse, and
 * with alike agents better (docs/math.md, "Federated Thompson sampling"). */
#include "algo/fts/agent.h"

#include "base/error.h"
#include "num/la.h"

#include <string.h>

typedef tc_fts_agent_state agent;

tacit_status tc_fts_heard_init(agent *a, tacit_error *err)
{
    const size_t M = (size_t)a->opts->common.features;
    const agent *sibling = a->core.env->sibling;
    tc_fts_heard *h = &a->heard;
    h->sum = TC_TAKE(&a->core.memory, M, double);
    h->mean = TC_TAKE(&a->core.memory, M, double);
    if (a->core.memory.failed)
        return tc_fail_memory(err);
    if (tc_fts_federated(&a->core) && a->opts->message == TC_FTS_VALUES)
        return tc_fts_pool_new(&h->pool, &a->core, err);
    if (!tc_fts_federated(&a->core) || !tc_fts_filter_applies(&a->core))
        return TACIT_OK;
    if (!sibling || !sibling->heard.filter)
        return tc_fts_filter_new(&h->filter, &a->core, err);
    h->filter = sibling->heard.filter;
    h->filter->users++;
    return TACIT_OK;
}

/* ---- what is sent ---- */

static tacit_status add_values(const agent *a, tc_blr *model, tacit_error *err)
{
    const double *z;
    TC_TRY(tc_fts_standardise(&a->core, &z, err));
    for (size_t i = 0; i < a->core.env->history->n; i++) {
        const double weight = tc_fts_weight(&a->core, i);
        const double *phi = tc_fts_phi(&a->core, i, a->core.draw);
        tc_blr_add(model, tc_fts_weighed(&a->core, weight, phi), weight * z[i]);
    }
    return TACIT_OK;
}

tacit_status tc_fts_heard_message(const agent *a, double *w, tacit_error *err)
{
    const size_t M = (size_t)a->opts->common.features;
    tc_blr *model = NULL;
    if (a->opts->message == TC_FTS_VALUES)
        return tc_fts_pool_write(&a->core, w, err);
    TC_TRY(tc_blr_new(&model, M, a->opts->common.noise, err));
    tacit_status status = add_values(a, model, err);
    if (status == TACIT_OK)
        memcpy(w, tc_blr_mean(model), M * sizeof *w);
    tc_blr_free(model);
    return status;
}

/* ---- what is read ---- */

void tc_fts_heard_published(agent *a)
{
    a->heard.reads = a->heard.misses = 0;
    a->heard.older = true;
}

bool tc_fts_heard_reads(const agent *a, uint64_t *party)
{
    const tc_fts_heard *h = &a->heard;
    const uint64_t left = tc_fts_urn_left(&a->urn);
    const bool published = tc_fts_federated(&a->core) && a->core.due > 0;
    tc_stream s;
    if (!published || left == 0 || h->reads >= (uint64_t)a->opts->reads)
        return false;
    tc_fts_choice_stream(&s, a, tc_fts_round(a), 1 + h->reads + h->misses);
    *party = tc_fts_urn_pick(&a->urn, tc_draw_below(&s, left));
    return true;
}

/* Beyond this squared norm, which no standardised values lead to, sums would cease to be numbers. */
#define LARGEST_SQUARE 1e60

static bool says_nothing(const double *w, size_t M)
{
    const double square = tc_dot(M, w, w);
    return square == 0 || !(square < LARGEST_SQUARE);
}

/* Zeros are from an agent whose values do not differ, or are too few. A round in which nobody says anything leaves
 * what was heard before. */
tacit_status tc_fts_heard_fetched(agent *a, uint64_t party, tacit_error *err)
{
    tc_fts_heard *h = &a->heard;
    const size_t M = (size_t)a->opts->common.features;
    const double weight = tc_fts_urn_weight(&a->urn, party);
    if (h->pool)
        TC_TRY(tc_fts_pool_put(h->pool, party, a->omega, err));
    tc_fts_urn_remove(&a->urn, party);
    h->reads++;
    h->news |= h->pool != NULL;
    if (h->pool || says_nothing(a->omega, M))
        return TACIT_OK;
    if (h->older) {
        memset(h->sum, 0, M * sizeof *h->sum);
        h->weight = h->square = 0;
        h->older = false;
    }
    for (size_t m = 0; m < M; m++)
        h->sum[m] += weight * a->omega[m];
    h->weight += weight;
    h->square += weight * weight;
    h->news = true;
    return TACIT_OK;
}

void tc_fts_heard_missed(agent *a, uint64_t party)
{
    tc_fts_urn_remove(&a->urn, party);
    a->heard.misses++;
}

/* ---- what is heard ---- */

static double value_at(const void *ctx, const double *x, double *grad)
{
    const agent *a = ctx;
    const tc_rff *f = &a->core.features->rff;
    return grad ? tc_rff_value_grad(f, a->heard.mean, x, grad) : tc_rff_value(f, a->heard.mean, x);
}

static void values_at(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    const agent *a = ctx;
    tc_rff_apply(&a->core.features->rff, a->heard.mean, m, X, ldx, out);
}

/* Weights that differ make the mean as uncertain as that of fewer agents. */
static tacit_status listen(agent *a, tacit_error *err)
{
    tc_fts_heard *h = &a->heard;
    const size_t M = (size_t)a->opts->common.features;
    double error = 1;
    for (size_t m = 0; m < M; m++)
        h->mean[m] = h->sum[m] / h->weight;
    if (h->filter)
        TC_TRY(tc_fts_filter_apply(h->filter, h->weight * h->weight / h->square, h->mean, &error,
                                   err));
    const tc_heard heard = {.many = values_at, .at = value_at, .ctx = a, .error = error};
    tc_own_hear(a->core.own, &heard);
    h->news = false;
    return TACIT_OK;
}

/* The same of values. */
static tacit_status listen_to_values(agent *a, tacit_error *err)
{
    tc_heard heard;
    bool any;
    TC_TRY(tc_fts_pool_listen(a->heard.pool, &heard, &any, err));
    if (any)
        tc_own_hear(a->core.own, &heard);
    a->heard.news = false;
    return TACIT_OK;
}

/* What follows from messages is made when it is needed: a pure function of them. */
tacit_status tc_fts_heard_ask(agent *a, uint64_t trial, double *values, tacit_error *err)
{
    if (a->heard.news)
        TC_TRY(a->heard.pool ? listen_to_values(a, err) : listen(a, err));
    return tc_own_ask(a->core.own, trial, values, err);
}
