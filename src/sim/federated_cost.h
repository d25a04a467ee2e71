/* federated_cost.h - what the releases of a simulated federation would cost if they were real.
 *
 * A simulation draws its noise from a seed, so nothing in it is private; its ledger holds the
 * events that a deployment with the same options would pay for. Users: tacit simulate. */
#ifndef TC_SIM_FEDERATED_COST_H
#define TC_SIM_FEDERATED_COST_H

#include "base/text.h"
#include "privacy/ledger.h"
#include "privacy/statement.h"
#include "sim/curves.h"
#include "sim/record_noise.h"

typedef struct tc_federated_cost {
    const char *none;       /* why there is no guarantee, as a clause; NULL: `bound` is one */
    const char *accountant; /* the one asked; bound.accountant says whose bound is reported */
    tacit_guarantee bound;  /* of all releases together */
    uint64_t releases;
    tacit_dp_sampling sampling; /* which neighbours the statement speaks of, ... */
    tacit_unit unit;            /* ... and whose. ROW: each release is about records of its own */
    /* rounds numbers: a bound on what is spent when iteration r + 1 is over; the last is the total.
     * With very many releases some are the bound of a later one. */
    double *by_round;
    uint64_t rounds;
    tc_trustees
        trustees; /* who would add up and deal the noise; its user sets it. count 0: the coordinator */
    double first;                   /* the same of iteration 0: noise in the initial values */
    const tc_record_noise *records; /* RECORD: in what was told, which is all there is; else NULL */
} tc_federated_cost;

/* The cost of the first run. E_UNSUPPORTED: the accountant has no formula for an event. */
tacit_status tc_federated_cost_init(tc_federated_cost *out, const tacit_curves *r,
                                    const tc_accountant *a, double delta, tacit_error *err);
/* The cost of noisy values, whatever was sent after that. `records` is borrowed. */
tacit_status tc_federated_cost_records(tc_federated_cost *out, const tacit_curves *r,
                                       const tc_accountant *a, const tc_record_noise *records,
                                       tacit_error *err);
void tc_federated_cost_fini(tc_federated_cost *c);

/* What is spent when an agent's iteration i (0: the initial points) is over. */
double tc_federated_cost_at(const tc_federated_cost *c, uint64_t iteration);
/* "every agent: epsilon ..., delta ... Neighbours: ..." */
void tc_federated_cost_bound(const tc_federated_cost *c, tc_text *out);
/* "NOT PRIVATE: seeded. If deployed: " and that. */
void tc_federated_cost_statement(const tc_federated_cost *c, tc_text *out);

#endif
