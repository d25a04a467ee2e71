/* budget.c - a curator's budget in epsilon, by the accountant that fits the noise. See curator_int.h. */
#include "curator/curator_int.h"

#include "base/error.h"

#include <tacit/privacy.h>

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

static bool any_gaussian(const tc_ledger *l)
{
    uint64_t n = l ? tc_ledger_get_head(l).seq : 0;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && e->event.mechanism == TACIT_DP_GAUSSIAN)
            return true;
    }
    return false;
}

/* Is all that was charged to every row the release of these terms, if anything was? Answers, which are
 * charged to single rows, are part of its terms. */
static tacit_status is_alone(const tc_ledger *l, const tc_row_terms *t, bool *out, tacit_error *err)
{
    tacit_hash study;
    uint64_t n = l ? tc_ledger_get_head(l).seq : 0;
    TC_TRY(tc_row_terms_hash(t, &study, err));
    *out = true;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && !*e->subject && !tc_ledger_hash_same(&e->study, &study))
            *out = false;
    }
    return TACIT_OK;
}

/* The accountant that fits the noise. Pure epsilons add up, whoever chose them and when. One release
 * with a delta, and its answers, were planned together, and any accountant may add them up. Where
 * there are other releases, this one may have been chosen in view of them: that needs the filter. */
tacit_status tc_curator_budget(tc_ledger_budget *b, double epsilon, const tc_row_terms *t,
                               const tc_ledger *l, const tc_ledger_budget **out, tacit_error *err)
{
    tc_row_cost cost;
    bool alone;
    *out = NULL;
    if (epsilon == 0)
        return TACIT_OK;
    TC_TRY(tc_row_cost_of(t, &cost, err));
    TC_TRY(is_alone(l, t, &alone, err));
    bool pure = cost.delta == 0 && !any_gaussian(l);
    if (!pure && t->delta == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a budget needs a delta: ledger \"%s\" has releases with Gaussian noise",
                       tc_ledger_name(l));
    *b = (tc_ledger_budget){.epsilon = epsilon,
                            .delta = pure ? ANY_DELTA : t->delta,
                            .accountant = pure    ? &tc_accountant_pure
                                          : alone ? &tc_accountant_pld
                                                  : NULL};
    *out = b;
    return TACIT_OK;
}

tacit_status tc_curator_over_budget(const tc_ledger_budget *b, const tc_ledger *l, double asked,
                                    tacit_error *err)
{
    char spent[32], more[32];
    tc_ledger_claim claim;
    if (b->accountant)
        return TACIT_E_BUDGET; /* which has said so already */
    TC_TRY(tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, b->delta, NULL, &claim, err));
    tacit_epsilon_text(spent, claim.bound.epsilon);
    tacit_epsilon_text(more, asked);
    return tc_fail(err, TACIT_E_BUDGET,
                   "the privacy budget of every row (epsilon %g, delta %g) does not allow this "
                   "release: spent %s, asked %s; what may have been chosen in view of earlier "
                   "releases is added up by a filter, to more than planned releases have",
                   b->epsilon, b->delta, spent, more);
}

/* ---- noise */

void tc_curator_noise_init(tc_curator_noise *n, int64_t seed, uint64_t step)
{
    tc_noise_init(&n->noise);
    n->entropy = tc_entropy_of(&n->noise);
    if (seed < 0)
        return;
    tc_test_noise_init(&n->seeded, (uint64_t)seed, step);
    n->entropy = tc_entropy_of_test(&n->seeded);
}

void tc_curator_noise_fini(tc_curator_noise *n)
{
    tc_noise_fini(&n->noise);
}
