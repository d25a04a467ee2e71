/* random.c - uniform points: the baseline, and the file to copy for a new algorithm.
 *
 * The point of trial i depends on (party seed, i) alone, so asks need no state. */
#include "algo/single/single.h"
#include "algo/single/design.h"

typedef struct state {
    const tc_env *env;
} state;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    (void)opts;
    (void)err;
    ((state *)st)->env = env;
    return TACIT_OK;
}

static void fini(void *st)
{
    (void)st;
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    (void)err;
    tc_design_uniform(((state *)st)->env, trial, values);
    return TACIT_OK;
}

static const tc_option table[] = {{.name = NULL}};

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(state),
    .init = init,
    .fini = fini,
    .ask = ask,
};

const tc_algorithm tc_algorithm_random = {
    .name = "random",
    .summary = "uniform random points",
    .source = "the baseline of every comparison",
    .options = table,
    .options_size = 0,
    .outcomes = true,
    .optimizer = &optimizer,
};
