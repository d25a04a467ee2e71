/* ldp_options.c - the options of the six algorithms of this folder, and what they promise. */
#include "algo/ldp/ldp_curator.h"
#include "algo/ldp/ldp_int.h"

#include "base/error.h"

#include <math.h>

#define AT(member) offsetof(tc_ldp_options, member)

#define COMMON_ROWS                                                                                \
    TC_CHOICE_OPTION(                                                                              \
        "kernel", AT(kernel), "se", TC_ARMS_KERNELS,                                               \
        "covariance function; given: the coordinates of a point are its covariances"),             \
        TC_FLOAT_OPTION("lengthscale", AT(lengthscale), "0.2", 1e-4, 1e4,                          \
                        "its length-scale in units of the range"),                                 \
        TC_INT_OPTION("arms", AT(arms), "256", 1, 4096,                                            \
                      "points that stand for a space that is not finite"),                         \
        TC_FLOAT_OPTION("bound", AT(bound), "1", 0, 1e12,                                          \
                        "B: public bound on the objective, in magnitude and in the kernel's norm", \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("lambda", AT(lambda), "1", 1e-6, 1e6, "regularisation of the estimates"),  \
        TC_FLOAT_OPTION("delta", AT(delta), "0.1", 0, 1,                                           \
                        "probability with which the bounds may fail", .min_open = true),           \
        TC_INT_OPTION("horizon", AT(horizon), "0", 0, 1e12,                                        \
                      "T: planned plays; 0: the trials of the study, or 10000"),                   \
        TC_CHOICE_OPTION("scale", AT(scale), "theory", "theory|practical",                         \
                         "constants of the theorems, or the smaller ones of experiments"),         \
        TC_FLOAT_OPTION("width", AT(width), "0", 0, 1e6,                                           \
                        "how many sd the bound is above the mean; 0 follows the formula")

#define SKETCH_ROWS                                                                                \
    TC_FLOAT_OPTION("accuracy", AT(accuracy), "0.1", 1e-3, 0.99,                                   \
                    "of the features; smaller takes more points into the dictionary")

#define ATA_ROWS                                                                                   \
    SKETCH_ROWS,                                                                                   \
        TC_CHOICE_OPTION(                                                                          \
            "cut", AT(cut), "current", "current|past",                                             \
            "past rewards are cut at the present threshold, or at that of their time"),            \
        TC_CHOICE_OPTION(                                                                          \
            "root", AT(root), "factor", "factor|symmetric",                                        \
            "features in which rewards are cut: fast and few, or as the papers print them")

#define MOMA_ROWS                                                                                  \
    SKETCH_ROWS, TC_INT_OPTION("k", AT(k), "5", 1, 1000,                                           \
                               "plays of an arm in one epoch, and estimates; better odd")

#define PRIVATE_ROWS                                                                               \
    TC_FLOAT_OPTION(                                                                               \
        "noise_bound", AT(noise_bound), "1", 0, 1e12,                                              \
        "R: public bound on the noise; rewards are clamped to +-(bound + noise_bound)"),           \
        TC_FLOAT_OPTION("epsilon", AT(epsilon), "1", 1e-5, 64, "privacy loss of one answer"),      \
        TC_CHOICE_OPTION("reply", AT(reply), "laplace", "auto|onebit|piecewise|laplace",           \
                         "how an answer is perturbed; all but laplace are bounded"),               \
        TC_INT_OPTION("answers", AT(answers), "1", 1, 1e6,                                         \
                      "that one user may give; each costs epsilon")

#define ALPHA_ROW                                                                                  \
    TC_FLOAT_OPTION("alpha", AT(alpha), "1", 0, 1,                                                 \
                    "rewards have a finite moment of order 1 + alpha", .min_open = true)

#define REWARD_ROWS                                                                                \
    ALPHA_ROW, TC_FLOAT_OPTION("reward_moment", AT(reward_moment), "4", 0, 1e24,                   \
                               "v: bound on that moment of a reward", .min_open = true)

#define NOISE_ROWS                                                                                 \
    ALPHA_ROW, TC_FLOAT_OPTION("noise_moment", AT(noise_moment), "3", 0, 1e24,                     \
                               "c: bound on that moment of the noise", .min_open = true)

#define TAIL_ROWS                                                                                  \
    TC_CHOICE_OPTION(                                                                              \
        "tail", AT(tail), "moment", "moment|weibull",                                              \
        "what is known of rewards: a moment, or P(|noise| > x) <= a exp(-b x^(1/theta))"),         \
        TC_FLOAT_OPTION("tail_theta", AT(tail_theta), "1", 0, 20,                                  \
                        "theta of a weibull tail: 0.5 is sub-Gaussian, 1 sub-exponential",         \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("tail_a", AT(tail_a), "1", 1, 1e12, "its a"),                              \
        TC_FLOAT_OPTION("tail_b", AT(tail_b), "1", 0, 1e12, "its b", .min_open = true)

const tc_option tc_ldp_tgp_options[] = {COMMON_ROWS, PRIVATE_ROWS, {.name = NULL}};
const tc_option tc_ldp_ata_options[] = {COMMON_ROWS, ATA_ROWS, PRIVATE_ROWS, {.name = NULL}};
const tc_option tc_ldp_moma_options[] = {COMMON_ROWS, MOMA_ROWS, PRIVATE_ROWS, {.name = NULL}};
const tc_option tc_tgp_options[] = {COMMON_ROWS, REWARD_ROWS, TAIL_ROWS, {.name = NULL}};
const tc_option tc_ata_options[] = {COMMON_ROWS, ATA_ROWS, REWARD_ROWS, {.name = NULL}};
const tc_option tc_moma_options[] = {COMMON_ROWS, MOMA_ROWS, NOISE_ROWS, {.name = NULL}};

/* The choices of `reply` are in the order of tacit_reply_kind. */
tc_ldp_terms tc_ldp_terms_of(const void *opts)
{
    const tc_ldp_options *o = opts;
    double most = o->bound + o->noise_bound;
    return (tc_ldp_terms){.reply = (tacit_reply_kind)o->reply,
                          .epsilon = o->epsilon,
                          .low = -most,
                          .high = most,
                          .answers = (uint64_t)o->answers};
}

tacit_status tc_ldp_reply(const tc_ldp_options *o, tc_reply *out, tacit_error *err)
{
    tc_ldp_terms t = tc_ldp_terms_of(o);
    return tc_reply_init(out, t.reply, t.epsilon, t.low, t.high, err);
}

/* Epsilon is of one user and all of its answers; the privacy is pure, so any delta will do. */
tacit_status tc_ldp_promise(const tc_env *env, void *opts, double epsilon, double delta,
                            tacit_error *err)
{
    (void)env;
    (void)delta;
    tc_ldp_options *o = opts;
    tc_ldp_options plan = *o;
    tc_reply reply;
    plan.epsilon = epsilon / (double)o->answers;
    if (plan.epsilon * (double)o->answers > epsilon)
        plan.epsilon = nextafter(plan.epsilon, 0);
    if (tc_ldp_reply(&plan, &reply, err) != TACIT_OK)
        return tc_fail_in(err, "%lld answers within epsilon %g", (long long)o->answers, epsilon);
    o->epsilon = plan.epsilon;
    return TACIT_OK;
}
