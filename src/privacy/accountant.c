/* accountant.c - the registry of accountants, and the one way to call them.
 *
 * tc_account does once what all of them need: checks, leaving out what did not happen, and
 * putting equal events together, so that a ledger of 10^5 equal rounds costs as much as one. */
#include "privacy/accountant_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const tc_accountant *const accountants[] = {
    &tc_accountant_pld,      &tc_accountant_rdp,  &tc_accountant_moments,
    &tc_accountant_gaussian, &tc_accountant_pure, NULL,
};

const tc_accountant *const *tc_accountants(void)
{
    return accountants;
}

tacit_status tc_accountant_get(const tc_accountant **out, const char *name, tacit_error *err)
{
    const char *names[sizeof accountants / sizeof *accountants] = {NULL};
    for (size_t i = 0; accountants[i]; i++) {
        names[i] = accountants[i]->name;
        if (strcmp(names[i], name) == 0) {
            *out = accountants[i];
            return TACIT_OK;
        }
    }
    return tc_fail_unknown(err, TACIT_E_NOT_FOUND, name, names, "Accountants",
                           "there is no accountant \"%s\"", name);
}

tacit_status tc_fail_no_formula(const char *accountant, const tacit_dp_event *e, tacit_error *err)
{
    static const char *const mechanisms[] = {"Gaussian", "Laplace", "RandomizedResponse",
                                             "NonPrivate", "RenyiBound"};
    static const char *const samplings[] = {"without sampling", "Poisson-sampled",
                                            "sampled without replacement",
                                            "Poisson-sampled, charged for replacement"};
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "accountant \"%s\" has no formula for %s(%g) %s (rate %g); \"pld\" and \"rdp\" "
                   "take every event",
                   accountant, mechanisms[e->mechanism], e->parameter, samplings[e->sampling],
                   e->sampling_rate);
}

/* ---- equal events together */

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_kind(const void *left, const void *right)
{
    const tacit_dp_event *a = left, *b = right;
    int order = (int)a->mechanism - (int)b->mechanism;
    if (order == 0)
        order = (int)a->sampling - (int)b->sampling;
    if (order == 0)
        order = by_number(a->parameter, b->parameter);
    return order == 0 ? by_number(a->sampling_rate, b->sampling_rate) : order;
}

/* Sorts and shortens e[0..*n). */
static tacit_status merge(tacit_dp_event *e, size_t *n, tacit_error *err)
{
    size_t kept = 0;
    qsort(e, *n, sizeof *e, by_kind);
    for (size_t i = 0; i < *n; i++) {
        if (kept == 0 || by_kind(&e[kept - 1], &e[i]) != 0) {
            e[kept++] = e[i];
            continue;
        }
        e[kept - 1].count += e[i].count; /* each at most 1e15: no overflow */
        if (tc_dp_event_check(&e[kept - 1], NULL) != TACIT_OK)
            return tc_fail(err, TACIT_E_ARG,
                           "the counts of equal events must add up to at most 1e15, got %" PRIu64,
                           e[kept - 1].count);
    }
    *n = kept;
    return TACIT_OK;
}

/* Copies what happened at all. Sampling at rate 1 is no sampling, but for fixed-size sampling, which
 * is about other neighbours. */
static size_t take_events(tacit_dp_event *out, const tacit_dp_event *events, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (events[i].count == 0)
            continue;
        out[kept] = events[i];
        if (out[kept].sampling == TACIT_DP_POISSON && out[kept].sampling_rate == 1)
            out[kept].sampling = TACIT_DP_ALL;
        if (out[kept].sampling == TACIT_DP_POISSON_REPLACED && out[kept].sampling_rate == 1)
            out[kept] = tc_dp_event_replaced(&out[kept]);
        kept++;
    }
    return kept;
}

/* ---- one call */

/* The two adjacencies are different statements: there is no sum of both. */
static tacit_status check_adjacency(const tacit_dp_event *e, size_t n, tacit_error *err)
{
    size_t of[TACIT_DP_POISSON_REPLACED + 1] = {0};
    for (size_t i = 0; i < n; i++)
        of[e[i].sampling]++;
    if (of[TACIT_DP_POISSON] > 0 && of[TACIT_DP_POISSON_REPLACED] > 0)
        return tc_fail(
            err, TACIT_E_UNSUPPORTED,
            "events with Poisson sampling hold for adding or removing a member and those "
            "charged for replacement for replacing one; they have no common guarantee");
    if (of[TACIT_DP_FIXED_SIZE] == 0 || of[TACIT_DP_ALL] + of[TACIT_DP_POISSON] == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "events with fixed-size sampling hold for substitution and the others for "
                   "zero-out adjacency; they have no common guarantee");
}

static bool any_nonprivate(const tacit_dp_event *e, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (e[i].mechanism == TACIT_DP_NONPRIVATE)
            return true;
    return false;
}

static tacit_status account_merged(const tc_accountant *a, tacit_dp_event *e, size_t n,
                                   double delta, tacit_guarantee *out, tacit_error *err)
{
    tacit_guarantee g = {.delta = delta, .accountant = a->name};
    if (any_nonprivate(e, n)) {
        g.epsilon = g.lower = INFINITY;
    } else if (n > 0) {
        TC_TRY(check_adjacency(e, n, err));
        TC_TRY(merge(e, &n, err));
        TC_TRY(a->account(a, e, n, delta, &g, err));
    }
    *out = g;
    return TACIT_OK;
}

tacit_status tc_account(const tc_accountant *a, const tacit_dp_event *events, size_t n,
                        double delta, tacit_guarantee *out, tacit_error *err)
{
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    for (size_t i = 0; i < n; i++)
        if (tc_dp_event_check(&events[i], err) != TACIT_OK) {
            tc_fail_in(err, "events[%zu]", i);
            return TACIT_E_ARG;
        }
    tacit_dp_event *copy = tc_alloc(n + 1, sizeof *copy);
    if (!copy)
        return tc_fail_memory(err);
    size_t kept = take_events(copy, events, n);
    tacit_status status = account_merged(a, copy, kept, delta, out, err);
    tc_free(copy);
    return status;
}
