/* registry.c - every algorithm, one line each. */
#include "algo/algorithm.h"
#include "algo/dp_fts_de/dp_fts_de.h"
#include "algo/fts/fts.h"
#include "algo/ldp/ldp.h"
#include "algo/outsourced/outsourced.h"
#include "algo/single/single.h"
#include "algo/tree/tree_algorithms.h"
#include "base/error.h"

#include <string.h>

/* clang-format off */
static const tc_algorithm *const algorithms[] = {
    /* one party */
    &tc_algorithm_gp_ei,
    &tc_algorithm_gp_ucb,
    &tc_algorithm_ts,
    &tc_algorithm_sobol,
    &tc_algorithm_random,
    /* federated, by features */
    &tc_algorithm_dp_fts_de,
    &tc_algorithm_fts,
    &tc_algorithm_rgpe,
    &tc_algorithm_taf,
    /* replies of users, and rewards with heavy tails */
    &tc_algorithm_ldp_tgp,
    &tc_algorithm_ldp_ata,
    &tc_algorithm_ldp_moma,
    &tc_algorithm_tgp_ucb,
    &tc_algorithm_ata_gp_ucb,
    &tc_algorithm_moma_gp_ucb,
    /* a data set that another searches */
    &tc_algorithm_po_gp_ucb,
    /* trees: rough functions, many pulls */
    &tc_algorithm_hct,
    &tc_algorithm_hoo,
    &tc_algorithm_blin,
    &tc_algorithm_fed_hct,
    &tc_algorithm_pf_pne,
    &tc_algorithm_fed_pne,
    &tc_algorithm_dp_pf_pne,
    NULL,
};
/* clang-format on */

const tc_algorithm *const *tc_algorithms(void)
{
    return algorithms;
}

const tc_algorithm *tc_algorithm_find(const char *name)
{
    for (size_t i = 0; algorithms[i]; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}

tacit_status tc_algorithm_get(const tc_algorithm **out, const char *name, tacit_error *err)
{
    const tc_algorithm *found = tc_algorithm_find(name);
    if (found) {
        *out = found;
        return TACIT_OK;
    }
    const char *names[sizeof algorithms / sizeof *algorithms] = {NULL};
    for (size_t i = 0; algorithms[i]; i++)
        names[i] = algorithms[i]->name;
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Algorithms",
                           "there is no algorithm \"%s\"", name);
}

/* What a single party may use instead: for algorithms that pull cells, hct and blin. */
static const char *alone_instead(const tc_algorithm *a)
{
    return a->optimizer && a->optimizer->batch ? "hct or blin" : "ts";
}

tacit_status tc_algorithm_get_single(const tc_algorithm **out, const char *name, tacit_error *err)
{
    const tc_algorithm *found = tc_algorithm_find(name);
    if (found && tc_algorithm_federated(found))
        return tc_fail(err, TACIT_E_ARG,
                       "algorithm %s is for a federation of agents; one party alone may use %s",
                       name, alone_instead(found));
    return tc_algorithm_get(out, name, err);
}
