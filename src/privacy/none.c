/* none.c - the mechanism without protection, which says so. */
#include "privacy/mechanism.h"
#include "privacy/release_int.h"

#include "base/error.h"

#include <string.h>

tacit_status tc_none_release(tc_release **out, size_t rows, size_t cols, const double *x,
                             tacit_unit unit, const char *why, tacit_error *err)
{
    tc_release *r;
    TC_TRY(tc_release_new_bare(&r, rows, cols, why, err));
    if (rows * cols > 0)
        memcpy(r->reals, x, rows * cols * sizeof *x);
    r->view.mechanism = "none";
    r->view.unit = unit;
    r->view.single = rows == 1 && unit != TACIT_UNIT_AGENT; /* a row of agents may be their sum */
    r->view.adjacency = TC_NONE_ADJACENCY;
    *out = r;
    return TACIT_OK;
}
