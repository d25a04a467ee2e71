/* search_ledger.c - reserve, then release the winner (search_ledger.h). */
#include "privacy/search_ledger.h"

#include "privacy/filter.h"
#include "privacy/ledger_int.h"
#include "privacy/release_int.h"

#include "base/error.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char mechanism[] = "search";

/* "search 0123... of {document}" */
static tacit_status name_study(const char *document, tacit_hash *out, tacit_error *err)
{
    tc_noise bits;
    tc_text t = {0};
    tc_noise_init(&bits);
    uint64_t high = tc_noise_u64(&bits), low = tc_noise_u64(&bits);
    tc_noise_fini(&bits);
    tc_text_addf(&t, "search %016" PRIx64 "%016" PRIx64 " of %s", high, low, document);
    bool made = !t.failed;
    if (made)
        *out = tc_ledger_study_hash(tc_text_get(&t));
    tc_text_fini(&t);
    return made ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status price(const tc_search_plan *p, int order, tacit_dp_event *out, tacit_error *err)
{
    *out = tc_dp_event_renyi(order, tc_search_divergence(p, order));
    if (tc_dp_event_check(out, NULL) == TACIT_OK)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_BUDGET,
                   "no privacy budget allows this search: its Renyi divergence of order %d has no "
                   "bound",
                   order);
}

/* A round that is there already would pay for nothing: 128 random bits have come twice. */
static tacit_status commit(tc_ledger *l, const tc_ledger_budget *b, const tc_search_paid *paid,
                           uint64_t round, const tc_release *r, tacit_head *head, tacit_error *err)
{
    tc_ledger_receipt receipt;
    tc_ledger_charge charge = {.study = paid->study, .round = round};
    TC_TRY(tc_ledger_release(l, b, &charge, r, &receipt, err));
    bool again = receipt.again;
    *head = receipt.head;
    tc_ledger_receipt_fini(&receipt);
    return again ? tc_fail(err, TACIT_E_CONFLICT, "this search is in the ledger already")
                 : TACIT_OK;
}

static tacit_status charge(tc_ledger *l, const tc_ledger_budget *b, const tc_search_plan *p,
                           const tc_search_paid *paid, tacit_error *err)
{
    tc_release *pledge;
    tacit_head head;
    tc_text adjacency = {0};
    tc_search_describe(p, &adjacency);
    tc_pledge_terms terms = {.event = paid->event,
                             .unit = TACIT_UNIT_RECORD,
                             .adjacency = tc_text_get(&adjacency),
                             .mechanism = "reserved"};
    tacit_status status =
        adjacency.failed ? tc_fail_memory(err) : tc_pledge_by(&pledge, &terms, err);
    tc_text_fini(&adjacency);
    TC_TRY(status);
    status = commit(l, b, paid, 0, pledge, &head, err);
    tc_release_free(pledge);
    return status;
}

/* At the order at which the filter of this budget adds up everything: it leaves most to what comes later. */
static tacit_status charge_by_filter(tc_ledger *l, const tc_search_plan *p,
                                     const tc_ledger_budget *b, tc_search_paid *paid,
                                     tacit_error *err)
{
    tc_filter f;
    TC_TRY(tc_filter_init(&f, b->epsilon, b->delta, err));
    TC_TRY(price(p, f.order, &paid->event, err));
    return charge(l, b, p, paid, err);
}

/* At the best order for the search alone: enough where nothing else is in the ledger, since all of its plan is
 * this one release. Whatever comes later is held to the filter. */
static tacit_status charge_alone(tc_ledger *l, const tc_search_plan *p, const tc_ledger_budget *b,
                                 tc_search_paid *paid, tacit_error *err)
{
    tacit_guarantee alone;
    TC_TRY(tc_search_cost(p, b->delta, &alone, err));
    TC_TRY(price(p, isfinite(alone.epsilon) ? (int)alone.order : 2, &paid->event, err));
    tc_ledger_document whole = {.study = paid->study, .events = &paid->event, .n = 1};
    tc_ledger_budget planned = *b;
    planned.accountant = &tc_accountant_rdp;
    planned.document = &whole;
    return charge(l, &planned, p, paid, err);
}

/* Was the first charge of the ledger that a record pays for a Gaussian without sampling? */
static bool begins_plainly(const tc_ledger *l)
{
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        bool pays = e->unit == TACIT_UNIT_RECORD || tc_ledger_is_wider(e, TACIT_UNIT_RECORD);
        if (pays && e->event.count > 0)
            return e->event.mechanism == TACIT_DP_GAUSSIAN &&
                   (e->event.sampling_rate == 1 || e->unit != TACIT_UNIT_RECORD);
    }
    return false;
}

/* Then the filter of this limit may be the one that adds up mu (ledger_filter.c), which takes no divergence, however
 * small. The refusal says so, since its numbers do not. */
static tacit_status explain(const tc_ledger *l, const tc_ledger_budget *b, tacit_error *err)
{
    tacit_dp_event least = tc_dp_event_renyi(TC_DP_EVENT_MAX_ORDER, 1e-12);
    tc_ledger_spending s = {.events = &least, .n = 1, .plain = true, .several = true};
    if (begins_plainly(l) &&
        tc_ledger_filter_check(&s, b->epsilon, b->delta, NULL) == TACIT_E_BUDGET)
        return tc_fail(err, TACIT_E_BUDGET,
                       "a ledger whose first release is a Gaussian has no place for a search: its "
                       "filter, gdp-filter, has no bound for one; a search must come first");
    return TACIT_E_BUDGET;
}

tacit_status tc_search_reserve(tc_ledger *l, const tc_search_plan *p, double epsilon, double delta,
                               const char *document, tc_search_paid *out, tacit_error *err)
{
    tc_search_paid paid;
    tc_ledger_budget budget = {.epsilon = epsilon, .delta = delta};
    TC_TRY(name_study(document, &paid.study, err));
    tacit_status status = charge_by_filter(l, p, &budget, &paid, err);
    if (status == TACIT_E_BUDGET)
        status = charge_alone(l, p, &budget, &paid, err);
    if (status == TACIT_E_BUDGET)
        status = explain(l, &budget, err);
    if (status == TACIT_OK)
        *out = paid;
    return status;
}

tacit_status tc_search_score(const tc_search_plan *p, double y, tc_entropy *e, double *score,
                             tacit_error *err)
{
    tc_release *r;
    *score = y;
    if (!p->noised)
        return TACIT_OK;
    TC_TRY(tc_value_release(&r, &p->score, y, e, err));
    *score = tc_release_value(r, 0);
    tc_release_free(r);
    return TACIT_OK;
}

/* One row of doubles, as they are: each of them is a public coordinate or has its noise. */
static tacit_status make_winner(tc_release **out, const tc_search_plan *p,
                                const tc_search_paid *paid, const double *winner, size_t n,
                                const tc_entropy *e, tacit_error *err)
{
    tc_release *r;
    tc_text adjacency = {0};
    TC_TRY(tc_release_new(&r, n > 0, n, e, err));
    tc_search_describe(p, &adjacency);
    r->view.adjacency =
        adjacency.failed ? NULL : tc_arena_strdup(&r->memory, tc_text_get(&adjacency));
    tc_text_fini(&adjacency);
    if (!r->view.adjacency) {
        tc_release_free(r);
        return tc_fail_memory(err);
    }
    if (n > 0)
        memcpy(r->steps, winner, n * sizeof *winner);
    r->view.mechanism = mechanism;
    r->view.event = paid->event;
    r->view.event.count = 0;
    r->view.unit = TACIT_UNIT_RECORD;
    *out = r;
    return TACIT_OK;
}

tacit_status tc_search_release(tc_ledger *l, const tc_search_plan *p, const tc_search_paid *paid,
                               const double *winner, size_t n, const tc_entropy *e,
                               tacit_head *head, tacit_error *err)
{
    tc_release *r;
    TC_TRY(make_winner(&r, p, paid, winner, n, e, err));
    tacit_status status = commit(l, NULL, paid, 1, r, head, err);
    tc_release_free(r);
    return status;
}
