/* ledger_account.c - from what was spent to a bound that holds for discrete noise.
 *
 * Accountants speak of continuous Gaussians. A release's noise is discrete, at a total variation
 * of at most `distance` from a rounded continuous one (release.h); distances of releases add up,
 * to D. If the continuous mechanism is (e, d)-DP, the discrete one is (e, d + (1 + e^e) D)-DP. So
 * an e is sought for which d + (1 + e^e) D stays within delta.
 *
 * Renyi bounds of integer order need none of that: they hold for discrete Gaussians as they
 * stand. They are what remains where (1 + e^e) D alone exceeds delta. */
#include "privacy/accountant_int.h"
#include "privacy/ledger_int.h"

#include "privacy/rdp.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 40 };

static const int large_orders[] = {80, 128, 256, 512, 1024};

static void try_order(const tc_ledger_spending *s, int order, double delta, tacit_guarantee *best)
{
    double rdp = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->events[i].count > 0)
            rdp += tc_up((double)s->events[i].count * tc_rdp_of(&s->events[i], order), 4);
    double epsilon = tc_rdp_epsilon(tc_up(rdp, (double)s->n), order, delta);
    if (epsilon < best->epsilon) {
        best->epsilon = epsilon;
        best->order = order;
    }
}

static tacit_guarantee integer_orders(const tc_ledger_spending *s, double delta)
{
    tacit_guarantee best = {
        .epsilon = INFINITY, .delta = delta, .accountant = tc_accountant_rdp.name};
    for (int order = 2; order <= 64; order++)
        try_order(s, order, delta, &best);
    for (size_t i = 0; i < sizeof large_orders / sizeof *large_orders; i++)
        try_order(s, large_orders[i], delta, &best);
    return best;
}

static bool holds_for_discrete(const tacit_guarantee *g)
{
    bool moments = strcmp(g->accountant, tc_accountant_rdp.name) == 0 ||
                   strcmp(g->accountant, tc_accountant_moments.name) == 0;
    return (moments && g->order == floor(g->order)) || g->epsilon == INFINITY;
}

/* What is left of delta when the answer is at most `epsilon`; rounded down. */
static double rest_of(double delta, double epsilon, double distance)
{
    double slack = (1 + exp(epsilon)) * distance * (1 + 0x1p-40);
    return nextafter(delta - slack, -INFINITY);
}

/* g is the continuous bound at delta. Each step guesses an epsilon and looks whether the bound at
 * the delta that it leaves is below the guess; the guesses rise. False: none was found. */
static tacit_status add_slack(const tc_accountant *a, const tc_ledger_spending *s, double delta,
                              tacit_guarantee *g, bool *found, tacit_error *err)
{
    *found = false;
    for (int i = 0; i < MOST_STEPS && !*found; i++) {
        double guess = g->epsilon * (1 + 1e-7) + 1e-9;
        double rest = rest_of(delta, guess, s->distance);
        if (!(rest > 0))
            return TACIT_OK;
        TC_TRY(tc_account(a, s->events, s->n, rest, g, err));
        *found = g->epsilon <= guess || holds_for_discrete(g);
    }
    return TACIT_OK;
}

tacit_status tc_ledger_account(const tc_accountant *a, const tc_ledger_spending *s, double delta,
                               tacit_guarantee *out, tacit_error *err)
{
    tacit_guarantee g;
    bool found;
    TC_TRY(tc_ledger_check_relations(s, err));
    TC_TRY(tc_account(a, s->events, s->n, delta, &g, err));
    if (s->distance > 0 && !holds_for_discrete(&g)) {
        TC_TRY(add_slack(a, s, delta, &g, &found, err));
        if (!found)
            g = integer_orders(s, delta);
        g.lower = 0; /* that of the continuous mechanism proves nothing here */
        g.delta = delta;
    }
    *out = g;
    return TACIT_OK;
}

tacit_status tc_ledger_cost(const tc_accountant *a, const tacit_dp_event *events, size_t n,
                            double distance, double delta, tacit_guarantee *out, tacit_error *err)
{
    tc_ledger_spending s = {.events = (tacit_dp_event *)events, .n = n, .distance = distance};
    s.several = !a;
    s.plain = n > 0 && tc_is_plain_gaussian(&events[0]);
    return tc_ledger_prove(a, &s, delta, out, err);
}
