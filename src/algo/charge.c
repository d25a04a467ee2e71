/* charge.c - who pays for a round. See charge.h. */
#include "algo/charge.h"

#include <inttypes.h>
#include <stdio.h>

tc_round_charge tc_round_charge_of(const tc_algorithm *a, const void *opts, uint64_t round)
{
    const tc_aggregator_ops *ops = a->aggregator;
    tc_round_charge c = {.unit = ops && ops->unit ? ops->unit(opts) : TC_UNIT_AGENT};
    c.everybody = c.unit != TC_UNIT_ROW;
    if (!c.everybody)
        snprintf(c.name, sizeof c.name, "records of round %" PRIu64, round);
    return c;
}

const char *tc_round_charge_subject(const tc_round_charge *c)
{
    return c->everybody ? NULL : c->name;
}
