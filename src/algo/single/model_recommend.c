/* model_recommend.c - the point that the shared model recommends: of those that were tried, the one with the largest
 * mean. See model.h.
 *
 * Of the points of the whole space one might have a larger mean still; that one has never been run, and its mean says
 * more about the kernel than about the function (docs/benchmarks.md, "Which point to take"). */
#include "algo/single/model.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

tacit_status tc_model_variance(const tc_model *m, size_t i, double *out, tacit_error *err)
{
    const tc_history *h = m->env->history;
    if (m->fgp) {
        *out = tc_fgp_variance(m->fgp)[h->point[i]];
        return TACIT_OK;
    }
    double *scratch = tc_alloc(tc_gp_scratch_size(m->gp), sizeof *scratch);
    if (!scratch)
        return tc_fail_memory(err);
    for (size_t d = 0; d < h->dim; d++)
        m->x[d] = h->U[i + d * h->ld];
    tc_gp_predict(m->gp, m->x, NULL, out, scratch);
    tc_free(scratch);
    return TACIT_OK;
}

/* The signal variance of a fit is that of the whole space, and may be far from that of the values: those come from where
 * the search has been. */
double tc_noise_share(double noise, size_t n, const double *z)
{
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += z[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (z[i] - mean) * (z[i] - mean) / (double)n;
    return noise < variance ? noise / variance : 1;
}

double tc_model_share(const tc_model *m)
{
    return tc_noise_share(m->hyper.noise, m->n, m->z);
}

tacit_status tc_model_recommend(tc_model *m, tc_recommended *out, tacit_error *err)
{
    tc_pick pick = TC_PICK;
    double variance = 0;
    if (!tc_model_ready(m)) {
        *out = (tc_recommended){.none = TC_RECOMMEND_TOO_FEW};
        return TACIT_OK;
    }
    TC_TRY(tc_model_sync(m, err));
    *out = (tc_recommended){.noise = m->noisy ? TC_NOISE_ADDED : TC_NOISE_UNKNOWN,
                            .share = tc_model_share(m)};
    for (size_t i = 0; i < m->n; i++)
        tc_pick_offer(&pick, m->env->history, i, tc_model_mean(m, i));
    if (!tc_pick_end(&pick, out))
        return TACIT_OK;
    TC_TRY(tc_model_variance(m, out->at, &variance, err));
    out->mean = m->mean + m->sd * pick.top;
    out->sd = m->sd * sqrt(fmax(variance, 0));
    return TACIT_OK;
}
