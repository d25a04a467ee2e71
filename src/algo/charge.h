/* charge.h - who pays for a round: what a coordinator tells its ledger beside the release.
 *
 * Most releases are about every agent. Those of an algorithm that protects single records
 * (tc_aggregator_ops.unit) are about the records of their own round, which has a name in the ledger:
 * so a record is charged once. Used by whoever closes rounds. */
#ifndef TC_ALGO_CHARGE_H
#define TC_ALGO_CHARGE_H

#include "algo/algorithm.h"

typedef struct tc_round_charge {
    tc_privacy_unit unit;
    char name[48];
    bool everybody; /* then there is no name */
} tc_round_charge;

tc_round_charge tc_round_charge_of(const tc_algorithm *a, const void *opts, uint64_t round);
/* As ledger.h takes it: NULL for everybody. Borrowed from c. */
const char *tc_round_charge_subject(const tc_round_charge *c);

#endif
