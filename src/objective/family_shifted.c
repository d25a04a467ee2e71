/* family_shifted.c - a built-in objective with a horizontal shift for each agent.
 *
 * The function itself, with whatever it found out at its construction, exists once; an agent adds a
 * vector. Shifting leaves the optimum's value as it is (objective.h). Called by family.c alone. */
#include "objective/family_int.h"

#include "base/error.h"

#include <stdint.h>

tacit_status tc_family_shifted(tc_family *f, const char *name, const tc_family_opts *o,
                               const tc_public_seed *seed, tacit_error *err)
{
    const tc_objective_opts *opts = &o->objective;
    TC_TRY(tc_objective_new(&f->base, name, opts, *seed, err));
    f->maximize = tc_objective_maximize(f->base);
    if (opts->shift == 0)
        return TACIT_OK;
    size_t dim = tc_objective_dim(f->base);
    if (f->agents > SIZE_MAX / dim)
        return tc_fail_memory(err);
    f->shifts = TC_TAKE(&f->memory, f->agents * dim, double);
    if (!f->shifts)
        return tc_fail_memory(err);
    for (size_t n = 0; n < f->agents; n++) /* agent 0 is the objective alone: its step is 0 */
        tc_objective_draw_shift(f->base, opts->shift, seed, n ? TC_FAMILY_STEP(n) : 0,
                                f->shifts + n * dim);
    return TACIT_OK;
}
