/* charge.h - who pays for a round, what it costs, and what may be spent.
 *
 * Most releases are about every agent. Those of an algorithm that protects single records
 * (tc_aggregator_ops.unit) are about the records of their own round, which has a name in the ledger:
 * so a record is charged once. Used by whoever closes rounds or
 * pledges to pay for them: the coordinator, agents and simulations. */
#ifndef TC_ALGO_CHARGE_H
#define TC_ALGO_CHARGE_H

#include "algo/algorithm.h"
#include "privacy/ledger.h"

typedef struct tc_round_charge {
    tacit_unit unit;
    char name[48];
    bool everybody; /* then there is no name */
} tc_round_charge;

tc_round_charge tc_round_charge_of(const tc_algorithm *a, const void *opts, uint64_t round);
/* As ledger.h takes it: NULL for everybody. Borrowed from c. */
const char *tc_round_charge_subject(const tc_round_charge *c);

/* What closing this round will cost. E_UNSUPPORTED: the algorithm has no aggregator. */
tacit_status tc_round_price_of(const tc_algorithm *a, const tc_env *env, const void *opts,
                               uint64_t round, tc_round_price *out, tacit_error *err);
/* The budget that rounds are held to, with the tightest accountant there is: the closed form where all that
 * the ledger has is plain. It counts for releases that one document has planned: whoever keeps a ledger over
 * several studies also says which document that is (tc_ledger_budget.document). */
tacit_status tc_round_budget(const tc_algorithm *a, const tc_env *env, const void *opts,
                             double epsilon, double delta, tc_ledger_budget *out, tacit_error *err);

#endif
