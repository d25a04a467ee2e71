/* federated_cost.c - epsilon by round of a simulated federation. See federated_cost.h. */
#include "sim/federated_cost.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MOST_BOUNDS = 200 }; /* a bound may take milliseconds */

/* Releases so far: equal events are one, with a count. */
typedef struct spent {
    tacit_dp_event *events;
    size_t n;
    double distance;
} spent;

static bool same_event(const tacit_dp_event *a, const tacit_dp_event *b)
{
    return a->mechanism == b->mechanism && a->parameter == b->parameter &&
           a->sampling == b->sampling && a->sampling_rate == b->sampling_rate;
}

static void spend(spent *s, const tacit_simulated_release *r)
{
    size_t i = 0;
    while (i < s->n && !same_event(&s->events[i], &r->event))
        i++;
    if (i < s->n)
        s->events[i].count += r->event.count;
    else
        s->events[s->n++] = r->event;
    s->distance += r->distance;
}

/* The number of queries after iteration 0 that came before a release. Not its round: where agents
 * begin with more than the initial points, several rounds are due at once. */
static uint64_t queries_before(const tacit_curves *r, size_t release)
{
    uint64_t trials = r->releases[release].trials;
    return trials > r->initial ? trials - r->initial : 0;
}

/* What is known of the cost of 1, 2, ... releases is written to the iterations that begin with each;
 * bound by bound, so that one without a bound of its own has that of a later one. */
static void fill(tc_federated_cost *c, const tacit_curves *r, size_t from, size_t to)
{
    uint64_t end = to + 1 < r->n_releases ? queries_before(r, to + 1) : c->rounds;
    for (uint64_t i = queries_before(r, from); i < end && i < c->rounds; i++)
        c->by_round[i] = c->bound.epsilon;
}

/* Each release is about other records, so a record pays for one release. */
static tacit_status account_apart(tc_federated_cost *c, const tacit_curves *r,
                                  const tc_accountant *a, double delta, tacit_error *err)
{
    TC_TRY(tc_ledger_cost(a, NULL, 0, 0, delta, &c->bound, err));
    for (size_t i = 0; i < r->n_releases; i++) {
        const tacit_simulated_release *one = &r->releases[i];
        tacit_guarantee bound;
        TC_TRY(tc_ledger_cost(a, &one->event, 1, one->distance, delta, &bound, err));
        if (bound.epsilon > c->bound.epsilon)
            c->bound = bound;
        fill(c, r, i, i);
    }
    return TACIT_OK;
}

static tacit_status account(tc_federated_cost *c, const tacit_curves *r, spent *s,
                            const tc_accountant *a, double delta, tacit_error *err)
{
    size_t stride = r->n_releases / MOST_BOUNDS + 1, from = 0;
    if (c->unit == TACIT_UNIT_ROW)
        return account_apart(c, r, a, delta, err);
    TC_TRY(tc_ledger_cost(a, s->events, 0, 0, delta, &c->bound, err)); /* nothing yet: 0 */
    for (size_t i = 0; i < r->n_releases; i++) {
        spend(s, &r->releases[i]);
        if ((i + 1) % stride != 0 && i + 1 < r->n_releases)
            continue;
        TC_TRY(tc_ledger_cost(a, s->events, s->n, s->distance, delta, &c->bound, err));
        fill(c, r, from, i);
        from = i + 1;
    }
    return TACIT_OK;
}

static const char *why_none(const tacit_curves *r, const tc_federated_cost *c)
{
    if (r->relayed)
        return "messages are handed on as they are, without noise";
    return isfinite(c->bound.epsilon) ? NULL : "no noise is added to what is released";
}

static tacit_status init(tc_federated_cost *c, const tacit_curves *r, const tc_accountant *a,
                         double delta, tacit_error *err)
{
    spent s = {.events = tc_alloc(r->n_releases + 1, sizeof *s.events)};
    c->by_round = tc_alloc((size_t)c->rounds + 1, sizeof *c->by_round);
    tacit_status status =
        s.events && c->by_round ? account(c, r, &s, a, delta, err) : tc_fail_memory(err);
    tc_free(s.events);
    return status;
}

tacit_status tc_federated_cost_init(tc_federated_cost *out, const tacit_curves *r,
                                    const tc_accountant *a, double delta, tacit_error *err)
{
    tc_federated_cost c = {.rounds = r->points - 1,
                           .accountant = a->name,
                           .releases = r->n_releases,
                           .sampling = r->n_releases ? r->releases[0].event.sampling : TACIT_DP_ALL,
                           .unit = r->n_releases ? r->releases[0].unit : TACIT_UNIT_AGENT};
    tacit_status status = init(&c, r, a, delta, err);
    if (status != TACIT_OK) {
        tc_federated_cost_fini(&c);
        return status;
    }
    c.none = why_none(r, &c);
    *out = c;
    return TACIT_OK;
}

/* Every evaluation is a release, the initial ones too. */
static tacit_status account_records(tc_federated_cost *c, const tacit_curves *r,
                                    const tc_accountant *a, tacit_error *err)
{
    tacit_guarantee bound;
    TC_TRY(tc_record_noise_cost(c->records, a, c->releases, &c->bound, err));
    TC_TRY(tc_record_noise_cost(c->records, a, r->initial, &bound, err));
    c->first = bound.epsilon;
    const uint64_t stride = c->rounds / MOST_BOUNDS + 1;
    for (uint64_t i = 0; i < c->rounds; i++) {
        const uint64_t upto = i / stride * stride + stride; /* the bound of a later one */
        const uint64_t n = r->initial + (upto < c->rounds ? upto : c->rounds);
        if (i % stride == 0)
            TC_TRY(tc_record_noise_cost(c->records, a, n, &bound, err));
        c->by_round[i] = bound.epsilon;
    }
    return TACIT_OK;
}

tacit_status tc_federated_cost_records(tc_federated_cost *out, const tacit_curves *r,
                                       const tc_accountant *a, const tc_record_noise *records,
                                       tacit_error *err)
{
    tc_federated_cost c = {.rounds = r->points - 1,
                           .accountant = a->name,
                           .releases = records->evaluations,
                           .sampling = TACIT_DP_ALL,
                           .unit = TACIT_UNIT_RECORD,
                           .records = records};
    c.by_round = tc_alloc((size_t)c.rounds + 1, sizeof *c.by_round);
    tacit_status status = c.by_round ? account_records(&c, r, a, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        *out = c;
    else
        tc_federated_cost_fini(&c);
    return status;
}

void tc_federated_cost_fini(tc_federated_cost *c)
{
    tc_free(c->by_round);
    memset(c, 0, sizeof *c);
}

double tc_federated_cost_at(const tc_federated_cost *c, uint64_t iteration)
{
    return iteration == 0 || c->rounds == 0 ? c->first : c->by_round[iteration - 1];
}

void tc_federated_cost_bound(const tc_federated_cost *c, tc_text *out)
{
    if (c->releases == 0) {
        tc_text_add(out, "nothing was released, so nothing was spent.");
        return;
    }
    tc_statement_add_bound(out, &c->bound, c->releases, c->unit);
    if (c->records)
        tc_record_noise_describe(c->records, out);
    tc_statement_add_round_scope(out, c->unit, c->sampling, &c->trustees);
}

void tc_federated_cost_statement(const tc_federated_cost *c, tc_text *out)
{
    tc_text_add(out, "NOT PRIVATE: seeded. ");
    if (c->none) {
        tc_text_addf(out, "If deployed, there would be no guarantee either: %s.", c->none);
        return;
    }
    tc_text_add(out, "If deployed: ");
    tc_federated_cost_bound(c, out);
}
