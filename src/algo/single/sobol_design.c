/* sobol_design.c - the algorithm "sobol": a scrambled Sobol' sequence over the space.
 * num/sobol.c makes its points. */
#include "algo/single/design.h"
#include "algo/single/single.h"

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    (void)opts;
    (void)err;
    tc_design_init(st, env);
    return TACIT_OK;
}

static void fini(void *st)
{
    (void)st;
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    (void)err;
    tc_design_point(st, trial, values);
    return TACIT_OK;
}

static const tc_option table[] = {{.name = NULL}};

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(tc_design),
    .init = init,
    .fini = fini,
    .ask = ask,
};

const tc_algorithm tc_algorithm_sobol = {
    .name = "sobol",
    .summary = "a scrambled Sobol' sequence: even coverage, no model",
    .source = "Joe and Kuo, SIAM J. Sci. Comput. 30 (2008)",
    .options = table,
    .options_size = 0,
    .outcomes = true,
    .optimizer = &optimizer,
};
