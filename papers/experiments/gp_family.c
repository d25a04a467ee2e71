/* gp_family.c - see gp_family.h. */
#include "papers/experiments/gp_family.h"

#include "base/error.h"
#include "papers/experiments/price.h"

tacit_status tc_gp_family_run(const tc_arm_run *c, tc_federated_task t, uint64_t quick_agents,
                              tacit_error *err)
{
    tc_arm arm;
    tc_arm_run cell = *c;
    TC_TRY(tc_price_promise(c->arm, &arm, err));
    cell.arm = &arm;
    t.objective = "gp-family";
    t.paired = true;
    if (c->quick && t.agents > quick_agents)
        t.agents = quick_agents;
    return tc_drive_federated(&cell, &t, err);
}
