/* baselines.c - the list of bandits. See baselines.h. */
#include "papers/baselines/baselines.h"

#include <string.h>

static const tc_bandit *const bandits[] = {
    &tc_bandit_hct,    &tc_bandit_hoo,     &tc_bandit_blin,
    &tc_bandit_pf_pne, &tc_bandit_fed_pne, &tc_bandit_fed1_ucb,
    &tc_bandit_fn_ucb, &tc_bandit_fed_hct, NULL,
};

const tc_bandit *const *tc_paper_bandits(void)
{
    return bandits;
}

tacit_status tc_paper_bandit_get(const tc_bandit **out, const char *name, tacit_error *err)
{
    for (size_t i = 0; bandits[i]; i++)
        if (strcmp(bandits[i]->name, name) == 0) {
            *out = bandits[i];
            return TACIT_OK;
        }
    return tc_bandit_get(out, name, err);
}
