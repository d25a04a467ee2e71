/* tgp.c - "ldp-tgp" and "tgp-ucb": rewards beyond a growing threshold count as 0.
 *
 * Zhou and Tan (2021), Algorithm 2; Chowdhury and Gopalan (2019), TGP-UCB. Reward number t is cut
 * once, at b_t; mean and variance are those of the exact Gaussian process, since every played arm
 * is in the dictionary. Before anything is known an arm is drawn. */
#include "algo/ldp/ldp_int.h"

#include "base/error.h"

#include <math.h>

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    return tc_ldp_model_init(st, env, opts, 1, err);
}

static void fini(void *st)
{
    tc_ldp_model_fini(st);
}

static tacit_status tell(void *st, tacit_error *err)
{
    tc_ldp_model *m = st;
    size_t arm;
    double y = tc_ldp_model_told(m, &arm);
    if (fabs(y) > tc_tgp_cut(&m->law, (double)m->env->history->n))
        y = 0;
    TC_TRY(tc_ldp_model_list(m, arm, err));
    tc_sketch_observe(&m->sketch, arm, &y);
    return TACIT_OK;
}

static void estimate(tc_ldp_model *m)
{
    size_t stride;
    const double *z = tc_sketch_weights(&m->sketch, 0, &stride);
    tc_sketch_mean(&m->sketch, z, stride, m->mean);
    tc_sketch_variance(&m->sketch, m->var);
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    (void)err;
    tc_ldp_model *m = st;
    size_t t = m->env->history->n;
    if (t == 0) {
        tc_arms_values(&m->arms, tc_arms_any(&m->arms, trial), values);
        return TACIT_OK;
    }
    estimate(m);
    double width = tc_ldp_model_width(m, tc_tgp_width(&m->law, (double)t, m->sketch.gain));
    tc_arms_values(&m->arms, tc_ldp_model_best(m, width), values);
    return TACIT_OK;
}

static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    (void)err;
    estimate(st);
    tc_ldp_model_recommend(st, out);
    return TACIT_OK;
}

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(tc_ldp_model),
    .init = init,
    .fini = fini,
    .ask = ask,
    .tell = tell,
    .recommend = recommend,
};

const tc_algorithm tc_algorithm_ldp_tgp = {
    .name = "ldp-tgp",
    .summary = "private replies: rewards beyond a growing threshold count as 0",
    .source = "Zhou, Tan (2021), Algorithm 2",
    .options = tc_ldp_tgp_options,
    .options_size = sizeof(tc_ldp_options),
    .optimizer = &optimizer,
    .curator = &tc_ldp_curator_ops,
    .promise = tc_ldp_promise,
};

const tc_algorithm tc_algorithm_tgp_ucb = {
    .name = "tgp-ucb",
    .summary = "heavy tails: rewards beyond a growing threshold count as 0",
    .source = "Chowdhury, Gopalan (2019)",
    .options = tc_tgp_options,
    .options_size = sizeof(tc_ldp_options),
    .optimizer = &optimizer,
};
