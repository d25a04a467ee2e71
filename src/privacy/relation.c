/* relation.c - relations and their names (relation.h). */
#include "privacy/relation.h"

#include "base/error.h"

#include <string.h>

static const char *const names[] = {"zero-out", "add-remove", "replace-one", "distance", NULL};

const char *tacit_relation_name(tacit_relation relation)
{
    bool known = relation >= TACIT_RELATION_ZERO_OUT && relation <= TC_RELATION_LAST;
    return known ? names[relation - TACIT_RELATION_ZERO_OUT] : NULL;
}

tacit_status tc_relation_parse(const char *what, const char *name, tacit_relation *out,
                               tacit_error *err)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (tacit_relation)(i + TACIT_RELATION_ZERO_OUT);
            return TACIT_OK;
        }
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Relations",
                           "%s: there is no relation \"%s\"", what, name);
}

/* Rows are released as they are, moved by noise for a radius; or they are rewards, of which sums are
 * released, and what agents owe for those. */
static tacit_relation of_row(const char *mechanism)
{
    static const char *const sums[] = {"laplace-sum", "pledge", "left before a restore", "lost"};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (strcmp(mechanism, sums[i]) == 0)
            return TACIT_RELATION_REPLACE_ONE;
    return TACIT_RELATION_DISTANCE;
}

tacit_relation tc_relation_usual(tacit_unit unit, tacit_dp_sampling sampling, const char *mechanism)
{
    if (sampling == TACIT_DP_FIXED_SIZE || sampling == TACIT_DP_POISSON_REPLACED)
        return TACIT_RELATION_REPLACE_ONE;
    if (strcmp(mechanism, "laplace-vector") == 0)
        return TACIT_RELATION_DISTANCE;
    switch (unit) {
    case TACIT_UNIT_AGENT:
        return TACIT_RELATION_ZERO_OUT;
    case TACIT_UNIT_ROW:
        return of_row(mechanism);
    case TACIT_UNIT_USER:
    case TACIT_UNIT_RECORD:
        break;
    }
    return TACIT_RELATION_REPLACE_ONE;
}

bool tc_relation_compose(tacit_relation *total, tacit_relation next)
{
    if (*total == TACIT_RELATION_USUAL || *total == next) {
        *total = next;
        return true;
    }
    bool close = *total == TACIT_RELATION_DISTANCE || next == TACIT_RELATION_DISTANCE;
    if (close)
        *total = TACIT_RELATION_DISTANCE;
    return close;
}
