/* ledger_filter.c - what releases cost together when later ones were chosen in view of earlier ones.
 *
 * Accountants suppose that all events were fixed before the first release. Whoever sees one study's releases
 * and then chooses between two continuations, each of which an accountant would allow, gets more than
 * either: the continuation that tells most about what was seen. So releases of several studies
 * are held to a filter, whose bound holds for every way of choosing:
 *
 *   gdp-filter  the sum of mu^2 (Smith, Thakurta 2022; Koskela, Tobaben, Honkela 2022). Exact for Gaussians without
 *               sampling: a limit on the sum is what one Gaussian with that mu has. What is sampled counts as if
 *               it were not; a pure epsilon counts with the mu at which tanh(epsilon/2) = 2 Phi(mu/2) - 1.
 *   rdp-filter  the sum of Renyi divergences at one order (filter.h).
 *
 * One ledger has one filter: two that are both tight would again leave something to choose. The first release
 * decides, whose parameters were fixed before anything was seen: gdp if it is a plain Gaussian. Only epsilons
 * that simply add up are allowed beside either: while the sum of pure epsilons is within the
 * limit, no loss is above it, and nothing of delta is used.
 *
 * Noise is discrete. Renyi divergences of integer order hold for it as they are. The mu of a Gaussian is for continuous
 * noise: of delta the share SLACK is set aside for the difference, (1 + e^epsilon) times the sum D of the
 * distances. A fixed share, since whoever trades D for mu^2 chooses, too. Where even a small D would
 * not fit (large epsilon), all is held to the rdp-filter; that follows from the limit alone. */
#include "privacy/accountant_int.h"
#include "privacy/filter.h"
#include "privacy/ledger_int.h"
#include "privacy/rdp.h"

#include "base/error.h"

#include <math.h>

#define SLACK        0x1p-10
#define USUAL_D      0x1p-40 /* of some thirty releases with 100 values each */
#define PURE_MOST    18.0    /* beyond, tanh(epsilon/2) is 1 in doubles */
#define EPSILON_MOST 1e6
#define GDP_FILTER   "gdp-filter"
#define RDP_FILTER   "rdp-filter"

/* ---- pure */

static bool is_pure(const tacit_dp_event *e)
{
    return e->mechanism == TACIT_DP_PURE || e->mechanism == TACIT_DP_LAPLACE;
}

/* Infinity where something else is among them. */
static double pure_sum(const tc_ledger_spending *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        const tacit_dp_event *e = &s->events[i];
        if (e->count > 0 && !is_pure(e))
            return INFINITY;
        sum = tc_up(sum + (double)e->count * tc_pure_epsilon(e), 2);
    }
    return sum;
}

/* ---- mu */

/* The least mu, to 1e-9, for which 2 Phi(mu/2) - 1 is above tanh(epsilon/2). */
static double mu_of_pure(double epsilon)
{
    if (!(epsilon <= PURE_MOST))
        return INFINITY;
    double goal = tanh(epsilon / 2) * (1 + 1e-9), low = 0, high = 1;
    while (tc_gaussian_delta(high, 0) < goal)
        high *= 2;
    while (high - low > high * 1e-9) {
        double middle = low + (high - low) / 2;
        *(tc_gaussian_delta(middle, 0) < goal ? &low : &high) = middle;
    }
    return high;
}

static double square_of(const tacit_dp_event *e)
{
    double moves = e->sampling == TACIT_DP_POISSON_REPLACED ? 2 : 1; /* as if it were not sampled */
    if (e->mechanism == TACIT_DP_GAUSSIAN)
        return moves / e->parameter * (moves / e->parameter);
    double mu = is_pure(e) ? mu_of_pure(tc_pure_epsilon(e)) : INFINITY;
    return mu * mu;
}

static double mu_of(const tc_ledger_spending *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->events[i].count > 0)
            sum += (double)s->events[i].count * square_of(&s->events[i]);
    return tc_up(sqrt(sum), (double)s->n + 8);
}

static bool slack_holds(double distance, double epsilon, double delta)
{
    return (1 + exp(epsilon)) * distance * (1 + 0x1p-40) <= SLACK * delta;
}

static bool uses_mu(const tc_ledger_spending *s, double epsilon, double delta)
{
    return s->plain && slack_holds(USUAL_D, epsilon, delta);
}

/* ---- one limit */

static tacit_status check_sampling(const tc_ledger_spending *s, tacit_error *err)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->events[i].sampling == TACIT_DP_FIXED_SIZE && s->events[i].count > 0)
            return tc_fail(err, TACIT_E_UNSUPPORTED,
                           "a filter has no place for fixed-size sampling: its bound is for "
                           "substitution, the filter's for zero-out adjacency");
    return TACIT_OK;
}

static bool renyi_admits(const tc_ledger_spending *s, double epsilon, double delta)
{
    tc_filter f;
    bool admits = tc_filter_init(&f, epsilon, delta, NULL) == TACIT_OK;
    for (size_t i = 0; i < s->n && admits; i++)
        admits = tc_filter_spend(&f, &s->events[i], NULL) == TACIT_OK;
    return admits;
}

static bool admits(const tc_ledger_spending *s, double epsilon, double delta)
{
    if (pure_sum(s) <= epsilon)
        return true;
    if (!uses_mu(s, epsilon, delta))
        return renyi_admits(s, epsilon, delta);
    return slack_holds(s->distance, epsilon, delta) &&
           tc_gaussian_delta(mu_of(s), epsilon) <= delta * (1 - SLACK);
}

tacit_status tc_ledger_filter_check(const tc_ledger_spending *s, double epsilon, double delta,
                                    tacit_error *err)
{
    TC_TRY(tc_ledger_check_relations(s, err));
    TC_TRY(check_sampling(s, err));
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    if (admits(s, epsilon, delta))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_BUDGET, "the %s does not allow it",
                   uses_mu(s, epsilon, delta) ? GDP_FILTER : RDP_FILTER);
}

/* ---- the least limit */

static double least_renyi(const tc_ledger_spending *s, double delta)
{
    double low = 0, high = 1;
    while (!renyi_admits(s, high, delta)) {
        low = high;
        high *= 2;
        if (high > EPSILON_MOST)
            return INFINITY;
    }
    for (int i = 0; i < 60 && high - low > high * 1e-9; i++) {
        double middle = low + (high - low) / 2;
        *(renyi_admits(s, middle, delta) ? &high : &low) = middle;
    }
    return high;
}

/* Where the first release is a plain Gaussian, a divergence is let pass by limits from here on: below, mu is added up,
 * and a divergence at one order has none. */
static double least_with_divergence(const tc_ledger_spending *s, double delta)
{
    for (size_t i = 0; s->plain && i < s->n; i++)
        if (s->events[i].mechanism == TACIT_DP_RENYI && s->events[i].count > 0)
            return fmax(log(SLACK * delta / USUAL_D), 0);
    return 0;
}

tacit_status tc_ledger_filter_bound(const tc_ledger_spending *s, double delta, tacit_guarantee *out,
                                    tacit_error *err)
{
    TC_TRY(tc_ledger_check_relations(s, err));
    TC_TRY(check_sampling(s, err));
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    double pure = pure_sum(s), mu = s->plain ? mu_of(s) : INFINITY;
    tacit_guarantee g = {.delta = delta, .accountant = GDP_FILTER};
    g.epsilon = tc_gaussian_epsilon(mu, delta * (1 - SLACK)) * (1 + 1e-12);
    if (!(g.epsilon < INFINITY) || !uses_mu(s, g.epsilon, delta) ||
        !slack_holds(s->distance, g.epsilon, delta)) {
        g.epsilon = fmax(least_renyi(s, delta), least_with_divergence(s, delta));
        g.accountant = RDP_FILTER;
    }
    if (pure <= g.epsilon) {
        g.epsilon = pure;
        g.accountant = tc_accountant_pure.name;
    }
    *out = g;
    return TACIT_OK;
}

tacit_status tc_ledger_prove(const tc_accountant *a, const tc_ledger_spending *s, double delta,
                             tacit_guarantee *out, tacit_error *err)
{
    if (!a && s->several)
        return tc_ledger_filter_bound(s, delta, out, err);
    return tc_ledger_account(a ? a : &tc_accountant_pld, s, delta, out, err);
}
