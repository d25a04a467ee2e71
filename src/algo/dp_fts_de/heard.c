/* heard.c - own=gp: an agent with a Gaussian process of its own (algo/own), for which a broadcast is something heard.
 *
 * It sends the posterior mean on the shared features of its values as they are standardised locally: the broadcast is
 * about the shape of the function that agents have in common, and nobody has to know units or levels. A message
 * is clipped to a public norm, so this costs no privacy; but only anchors all over the space make the units of
 * two agents the same, hence init=domain.
 *
 * What comes back has a share of the agent's own message, and would confirm the agent's values because it was made
 * from them: that share is taken out. With w_i the agent's weight in region i and nu its message,
 *     omega_i <- (omega_i - w_i nu)/max(1 - w_i, 1/2):
 * where an agent is nearly the only one of a region, the rest is mostly noise.
 * An agent that a coin may have left out (sampling_rate < 1) cannot know, and takes out nothing. broadcast_filter.c then makes
 * of it the posterior mean of the common function and how much that leaves open. */
#include "algo/dp_fts_de/agent.h"

#include "base/error.h"
#include "space/partition.h"

#include <math.h>
#include <string.h>

/* What is left of a sum that is mostly the agent's own is not scaled up beyond twice. */
#define OTHERS_LEAST 0.5

typedef tc_dp_fts_de_agent_state agent;

tacit_status tc_dp_fts_de_heard_init(agent *a, tacit_error *err)
{
    const size_t M = (size_t)a->opts->features;
    a->heard.sent = TC_TAKE(&a->memory, M, int64_t);
    a->heard.omega = TC_TAKE(&a->memory, tc_dp_fts_de_regions(a->opts) * M, double);
    a->heard.spare = TC_TAKE(&a->memory, M, double);
    if (a->memory.failed)
        return tc_fail_memory(err);
    return tc_own_new(&a->own, a->env, (size_t)a->opts->initial, err);
}

/* ---- what is sent ---- */

static tacit_status add_values(const agent *a, tc_blr *model, tacit_error *err)
{
    const tc_history *h = a->env->history;
    const tc_features *f = a->features;
    const double *z;
    TC_TRY(tc_own_values(a->own, &z, err));
    for (size_t i = 0; i < h->n; i++) {
        const double weight = tc_noise_weight(a->opts->noise, tc_own_noise(a->own, i));
        if (f->n == 0)
            tc_rff_many(&f->rff, 1, h->U + i, h->ld, a->draw, f->rff.M);
        const double *phi = f->n > 0 ? f->Phi + f->place[h->point[i]] * f->rff.M : a->draw;
        for (size_t m = 0; weight != 1 && m < f->rff.M; m++)
            a->draw[m] = weight * phi[m];
        tc_blr_add(model, weight != 1 ? a->draw : phi, weight * z[i]);
    }
    return TACIT_OK;
}

tacit_status tc_dp_fts_de_heard_message(const agent *a, double *w, tacit_error *err)
{
    const size_t M = (size_t)a->opts->features;
    tc_blr *model = NULL;
    TC_TRY(tc_blr_new(&model, M, a->opts->noise, err));
    tacit_status status = add_values(a, model, err);
    if (status == TACIT_OK)
        memcpy(w, tc_blr_mean(model), M * sizeof *w);
    tc_blr_free(model);
    return status;
}

void tc_dp_fts_de_heard_sent(agent *a)
{
    memcpy(a->heard.sent, a->steps, (size_t)a->opts->features * sizeof *a->heard.sent);
}

/* ---- what comes back ---- */

static void take_out_own(const agent *a, uint64_t r, int grid, double *omega)
{
    const size_t M = (size_t)a->opts->features,
                 start = tc_dp_fts_de_start_region(a->opts, a->env->party);
    if (tc_dp_fts_de_rate(a->opts, a->env->agents) < 1)
        return;
    for (size_t i = 0; i < tc_dp_fts_de_regions(a->opts); i++) {
        const double share = tc_dp_fts_de_weight(a->opts, a->env->agents, r, start, i);
        for (size_t m = 0; m < M; m++) {
            double own = ldexp((double)a->heard.sent[m], -grid);
            omega[i * M + m] = (omega[i * M + m] - share * own) / fmax(1 - share, OTHERS_LEAST);
        }
    }
}

static const double *weights_at(const agent *a, const double *x)
{
    const size_t region = tc_region_of(x, a->features->regions, a->env->space->dim);
    return a->omega + region * a->features->rff.M;
}

static double value_at(const void *ctx, const double *x, double *grad)
{
    const agent *a = ctx;
    const tc_rff *f = &a->features->rff;
    return grad ? tc_rff_value_grad(f, weights_at(a, x), x, grad)
                : tc_rff_value(f, weights_at(a, x), x);
}

static void values_at(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    const agent *a = ctx;
    if (a->features->regions == 1) {
        tc_rff_apply(&a->features->rff, a->omega, m, X, ldx, out);
        return;
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t d = 0; d < a->env->space->dim; d++)
            a->low[d] = X[i + d * ldx];
        out[i] = value_at(a, a->low, NULL);
    }
}

/* The noises of several broadcasts are independent, and their mean costs nothing. */
void tc_dp_fts_de_heard_absorb(agent *a, uint64_t r, int grid, double *omega)
{
    const size_t count = tc_dp_fts_de_regions(a->opts) * (size_t)a->opts->features;
    take_out_own(a, r, grid, omega);
    if (a->filter)
        tc_dp_fts_de_filter_apply(a->filter, omega, a->draw, a->heard.spare);
    a->heard.broadcasts++;
    for (size_t i = 0; i < count; i++)
        a->omega[i] += (omega[i] - a->omega[i]) / (double)a->heard.broadcasts;
    tc_heard h = {
        .many = values_at, .at = value_at, .ctx = a, .error = a->filter ? a->filter->error : 1};
    if (a->opts->broadcast != TC_DP_FTS_DE_NONE)
        tc_own_hear(a->own, &h);
}
