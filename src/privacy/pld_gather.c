/* pld_gather.c - a list of events as few different ones with counts.
 *
 * Order does not matter to a composition. Gaussians without sampling compose to one Gaussian with
 * 1/z^2 the sum of theirs. Called by pld.c. */
#include "privacy/pld_int.h"

#include "base/error.h"
#include "privacy/accountant_int.h"

#include <math.h>

static bool same_kind(const tacit_dp_event *a, const tacit_dp_event *b)
{
    return a->mechanism == b->mechanism && a->parameter == b->parameter &&
           a->sampling_rate == b->sampling_rate;
}

static tacit_status add_kind(tc_pld_kinds *k, const tacit_dp_event *e, tacit_error *err)
{
    size_t j = 0;
    while (j < k->n && !same_kind(&k->event[j], e))
        j++;
    if (j == TC_PLD_KINDS)
        return tc_fail(err, TACIT_E_NUMERIC,
                       "the privacy loss distribution takes at most %d different events",
                       TC_PLD_KINDS);
    if (j == k->n)
        k->event[k->n++] = *e;
    else if (k->event[j].count > UINT64_MAX - e->count)
        return tc_fail(err, TACIT_E_NUMERIC, "the events are repeated over 2^64 times");
    else
        k->event[j].count += e->count;
    return TACIT_OK;
}

/* The one Gaussian, and what rounding its z may do to epsilon: d epsilon / d mu is below
 * mu + 40 for every delta above 1e-300, and mu is off by at most 4 u a term. */
static tacit_status add_plain_gaussians(tc_pld_kinds *k, double mu2, double terms, tacit_error *err)
{
    double mu = sqrt(mu2);
    k->pad = 4 * TC_PLD_ULP * (terms + 4) * mu * (mu + 40);
    tacit_dp_event e = {.mechanism = TACIT_DP_GAUSSIAN,
                        .parameter = 1 / mu,
                        .sampling_rate = 1,
                        .sampling = TACIT_DP_ALL,
                        .count = 1};
    return add_kind(k, &e, err);
}

tacit_status tc_pld_gather(tc_pld_kinds *k, const tacit_dp_event *events, size_t n,
                           tacit_error *err)
{
    double mu2 = 0, terms = 0;
    k->n = 0;
    k->nonprivate = false;
    k->pad = 0;
    for (size_t i = 0; i < n; i++) {
        const tacit_dp_event *e = &events[i];
        TC_TRY(tc_dp_event_check(e, err));
        if (e->count == 0)
            continue;
        if (e->mechanism == TACIT_DP_NONPRIVATE) {
            k->nonprivate = true;
        } else if (e->sampling == TACIT_DP_FIXED_SIZE || e->sampling == TACIT_DP_POISSON_REPLACED ||
                   e->mechanism == TACIT_DP_RENYI) {
            return tc_fail_no_formula("pld", e, err);
        } else if (e->mechanism == TACIT_DP_GAUSSIAN && e->sampling_rate >= 1) {
            mu2 += (double)e->count / (e->parameter * e->parameter);
            terms++;
        } else {
            TC_TRY(add_kind(k, e, err));
        }
    }
    return terms > 0 ? add_plain_gaussians(k, mu2, terms, err) : TACIT_OK;
}
