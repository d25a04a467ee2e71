/* ata.c - "ldp-ata" and "ata-gp-ucb": rewards are cut in every feature, anew at every step.
 *
 * Zhou and Tan (2021), Algorithm 1; Chowdhury and Gopalan (2019), ATA-GP-UCB. With u_i the rows of
 * L^-1 Phi', r_i = sum of u_it y_t over the plays t with |u_it y_t| <= b, mean = phi' L^-T r. A row
 * has the same entry for all plays of an arm, so the sum over those is u_ia times the sum of the
 * rewards of arm a with |y| <= b / |u_ia|: O(m n log^2 t) instead of O(m t) (replies.h).
 *
 * The papers write V^-1/2 for the root. Their proof uses only that it turns V into I: then the
 * squares of a row add up to at most 1, and the error in the norm of V is that of r. Any root has
 * that; the factor L takes O(m n) a step and the symmetric root O(m^3). Likewise features are as
 * many as the dictionary has directions, not as it has arms, which makes the widths smaller.
 * root=symmetric does as the papers do (symmetric_root.h). */
#include "algo/ldp/ldp_int.h"
#include "algo/ldp/replies.h"
#include "algo/ldp/symmetric_root.h"

#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

typedef struct state {
    tc_ldp_model m;
    tc_replies *replies; /* of each arm */
    tc_keyed *scratch;
    size_t scratch_cap;
    tc_symmetric_root root; /* root=symmetric */
} state;

static tacit_status init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    state *s = st;
    TC_TRY(tc_ldp_model_init(&s->m, env, opts, 0, err));
    s->replies = tc_alloc(s->m.arms.n, sizeof *s->replies);
    return s->replies ? TACIT_OK : tc_fail_memory(err);
}

static void fini(void *st)
{
    state *s = st;
    for (size_t x = 0; s->replies && x < s->m.arms.n; x++)
        tc_replies_fini(&s->replies[x]);
    tc_free(s->replies);
    tc_free(s->scratch);
    tc_symmetric_root_fini(&s->root);
    tc_ldp_model_fini(&s->m);
}

static bool symmetric(const state *s)
{
    return s->m.opts->root == TC_ROOT_SYMMETRIC;
}

static size_t features(const state *s)
{
    return symmetric(s) ? s->root.m : s->m.sketch.m;
}

/* b_t at present, for t plays. */
static double threshold(const state *s)
{
    return tc_ata_cut(&s->m.law, (double)s->m.env->history->n, features(s));
}

/* With cut=past a reward keeps the threshold of its own step: its key is |y| / b. */
static tacit_status tell(void *st, tacit_error *err)
{
    state *s = st;
    size_t arm;
    double y = tc_ldp_model_told(&s->m, &arm);
    tc_sketch_variance(&s->m.sketch, s->m.var);
    TC_TRY(tc_ldp_model_draw(&s->m, arm, s->m.env->history->n, err));
    tc_sketch_observe(&s->m.sketch, arm, NULL);
    if (symmetric(s))
        TC_TRY(tc_symmetric_root_follow(&s->root, &s->m, arm, err));
    double key = s->m.opts->cut == TC_CUT_PAST ? fabs(y) / threshold(s) : fabs(y);
    return tc_replies_add(&s->replies[arm], key, y, &s->scratch, &s->scratch_cap, err);
}

static double feature_sum(const state *s, const double *u, double b)
{
    double sum = 0;
    for (size_t x = 0; x < s->m.arms.n; x++)
        if (s->replies[x].n > 0 && u[x] != 0)
            sum += u[x] * tc_replies_sum(&s->replies[x], b / fabs(u[x]));
    return sum;
}

/* From U, which has a row of n arms for each feature. */
static tacit_status estimate(state *s, tacit_error *err)
{
    size_t n = s->m.arms.n;
    if (symmetric(s))
        TC_TRY(tc_symmetric_root_find(&s->root, &s->m, err));
    const double *U = symmetric(s) ? s->root.U : s->m.sketch.W;
    double b = s->m.opts->cut == TC_CUT_PAST ? 1 : threshold(s);
    memset(s->m.mean, 0, n * sizeof *s->m.mean);
    for (size_t i = 0; i < features(s); i++) {
        double r = feature_sum(s, U + i * n, b);
        tc_axpy(n, r, U + i * n, s->m.mean);
    }
    tc_sketch_variance(&s->m.sketch, s->m.var);
    return TACIT_OK;
}

static tacit_status ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    state *s = st;
    size_t t = s->m.env->history->n, best;
    if (t == 0) {
        best = tc_arms_any(&s->m.arms, trial);
    } else {
        TC_TRY(estimate(s, err));
        double formula = tc_ata_width(&s->m.law, (double)t, features(s));
        best = tc_ldp_model_best(&s->m, tc_ldp_model_width(&s->m, formula));
    }
    tc_arms_values(&s->m.arms, best, values);
    return TACIT_OK;
}

static tacit_status recommend(void *st, tc_recommended *out, tacit_error *err)
{
    state *s = st;
    TC_TRY(estimate(s, err));
    tc_ldp_model_recommend(&s->m, out);
    return TACIT_OK;
}

static const tc_optimizer_ops optimizer = {
    .state_size = sizeof(state),
    .init = init,
    .fini = fini,
    .ask = ask,
    .tell = tell,
    .recommend = recommend,
};

const tc_algorithm tc_algorithm_ldp_ata = {
    .name = "ldp-ata",
    .summary = "private replies: rewards are cut in every feature of the kernel",
    .source = "Zhou, Tan (2021), Algorithm 1",
    .options = tc_ldp_ata_options,
    .options_size = sizeof(tc_ldp_options),
    .optimizer = &optimizer,
    .curator = &tc_ldp_curator_ops,
    .promise = tc_ldp_promise,
};

const tc_algorithm tc_algorithm_ata_gp_ucb = {
    .name = "ata-gp-ucb",
    .summary = "heavy tails: rewards are cut in every feature of the kernel",
    .source = "Chowdhury, Gopalan (2019)",
    .options = tc_ata_options,
    .options_size = sizeof(tc_ldp_options),
    .optimizer = &optimizer,
};
