/* tree_optimizer.c - hct, hoo and blin as ordinary optimizers: a trial is one pull, or as many as the
 * bandit wants of a cell (tree_trials.h). hct and hoo choose anew after every pull and want one. */
#include "algo/tree/tree_algorithms.h"
#include "algo/tree/tree_options.h"
#include "algo/tree/tree_trials.h"

static const tc_batch_ops batches = {.ask = tc_tree_trials_ask_batch,
                                     .tell = tc_tree_trials_tell_batch,
                                     .reward = tc_tree_trials_reward,
                                     .value = tc_tree_trials_value};

#define OPTIMIZER(name)                                                                            \
    static tacit_status init_##name(void *st, const tc_env *env, const void *opts,                 \
                                    tacit_error *err)                                              \
    {                                                                                              \
        const name##_options *o = opts;                                                            \
        return tc_tree_trials_init(st, env, &tc_bandit_##name, &o->range, &o->bandit, err);        \
    }                                                                                              \
    static const tc_optimizer_ops name##_optimizer = {.state_size = sizeof(tc_tree_trials),        \
                                                      .init = init_##name,                         \
                                                      .fini = tc_tree_trials_fini,                 \
                                                      .ask = tc_tree_trials_ask,                   \
                                                      .tell = tc_tree_trials_tell,                 \
                                                      .batch = &batches};

typedef struct hct_options {
    tc_tree_range range;
    tc_hct_options bandit;
} hct_options;
OPTIMIZER(hct)
static const tc_option hct_table[] = {
    TC_TREE_RANGE_ROWS, TC_HCT_OPTION_ROWS(offsetof(hct_options, bandit)), {.name = NULL}};

const tc_algorithm tc_algorithm_hct = {
    .name = "hct",
    .summary = "high-confidence tree: rough functions, very many cheap trials",
    .source = "Azar, Lazaric, Brunskill (2014)",
    .options = hct_table,
    .options_size = sizeof(hct_options),
    .optimizer = &hct_optimizer,
};

typedef struct hoo_options {
    tc_tree_range range;
    tc_hoo_options bandit;
} hoo_options;
OPTIMIZER(hoo)
static const tc_option hoo_table[] = {
    TC_TREE_RANGE_ROWS, TC_HOO_OPTION_ROWS(offsetof(hoo_options, bandit)), {.name = NULL}};

const tc_algorithm tc_algorithm_hoo = {
    .name = "hoo",
    .summary = "truncated hierarchical optimistic optimisation, the ancestor of hct",
    .source = "Bubeck, Munos, Stoltz, Szepesvari (2011)",
    .options = hoo_table,
    .options_size = sizeof(hoo_options),
    .optimizer = &hoo_optimizer,
};

typedef struct blin_options {
    tc_tree_range range;
    tc_blin_options bandit;
} blin_options;
OPTIMIZER(blin)
static const tc_option blin_table[] = {
    TC_TREE_RANGE_ROWS, TC_BLIN_OPTION_ROWS(offsetof(blin_options, bandit)), {.name = NULL}};

const tc_algorithm tc_algorithm_blin = {
    .name = "blin",
    .summary = "batched Lipschitz narrowing: few batches of very many cheap trials",
    .source = "Feng, Huang, Wang (2022)",
    .options = blin_table,
    .options_size = sizeof(blin_options),
    .optimizer = &blin_optimizer,
};
