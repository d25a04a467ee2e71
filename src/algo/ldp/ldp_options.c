/* ldp_options.c - the options of the six algorithms of this folder, and what they promise. */
#include "algo/ldp/ldp_curator.h"
#include "algo/ldp/ldp_int.h"

#include "base/error.h"

#include <math.h>

#define FIELD(member) .offset = offsetof(tc_ldp_options, member)

#define COMMON_ROWS                                                                                \
    {.name = "kernel",                                                                             \
     .type = TC_OPTION_CHOICE,                                                                     \
     FIELD(kernel),                                                                                \
     .def = "se",                                                                                  \
     .choices = TC_ARMS_KERNELS,                                                                   \
     .help = "covariance function; given: the coordinates of a point are its covariances"},        \
        {.name = "lengthscale",                                                                    \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(lengthscale),                                                                       \
         .def = "0.2",                                                                             \
         .min = 1e-4,                                                                              \
         .max = 1e4,                                                                               \
         .help = "its length-scale in units of the range"},                                        \
        {.name = "arms",                                                                           \
         .type = TC_OPTION_INT,                                                                    \
         FIELD(arms),                                                                              \
         .def = "256",                                                                             \
         .min = 1,                                                                                 \
         .max = 4096,                                                                              \
         .help = "points that stand for a space that is not finite"},                              \
        {.name = "bound",                                                                          \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(bound),                                                                             \
         .def = "1",                                                                               \
         .min = 0,                                                                                 \
         .max = 1e12,                                                                              \
         .min_open = true,                                                                         \
         .help = "B: public bound on the objective, in magnitude and in the kernel's norm"},       \
        {.name = "lambda",                                                                         \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(lambda),                                                                            \
         .def = "1",                                                                               \
         .min = 1e-6,                                                                              \
         .max = 1e6,                                                                               \
         .help = "regularisation of the estimates"},                                               \
        {.name = "delta",                                                                          \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(delta),                                                                             \
         .def = "0.1",                                                                             \
         .min = 0,                                                                                 \
         .max = 1,                                                                                 \
         .min_open = true,                                                                         \
         .help = "probability with which the bounds may fail"},                                    \
        {.name = "horizon",                                                                        \
         .type = TC_OPTION_INT,                                                                    \
         FIELD(horizon),                                                                           \
         .def = "0",                                                                               \
         .max = 1e12,                                                                              \
         .help = "T: planned plays; 0: the trials of the study, or 10000"},                        \
        {.name = "scale",                                                                          \
         .type = TC_OPTION_CHOICE,                                                                 \
         FIELD(scale),                                                                             \
         .def = "theory",                                                                          \
         .choices = "theory|practical",                                                            \
         .help = "constants of the theorems, or the smaller ones of experiments"},                 \
    {                                                                                              \
        .name = "width", .type = TC_OPTION_FLOAT, FIELD(width), .def = "0", .max = 1e6,            \
        .help = "how many sd the bound is above the mean; 0 follows the formula"                   \
    }

#define SKETCH_ROWS                                                                                \
    {                                                                                              \
        .name = "accuracy", .type = TC_OPTION_FLOAT, FIELD(accuracy), .def = "0.1", .min = 1e-3,   \
        .max = 0.99, .help = "of the features; smaller takes more points into the dictionary"      \
    }

#define ATA_ROWS                                                                                   \
    SKETCH_ROWS,                                                                                   \
        {.name = "cut",                                                                            \
         .type = TC_OPTION_CHOICE,                                                                 \
         FIELD(cut),                                                                               \
         .def = "current",                                                                         \
         .choices = "current|past",                                                                \
         .help = "past rewards are cut at the present threshold, or at that of their time"},       \
    {                                                                                              \
        .name = "root", .type = TC_OPTION_CHOICE, FIELD(root), .def = "factor",                    \
        .choices = "factor|symmetric",                                                             \
        .help = "features in which rewards are cut: fast and few, or as the papers print them"     \
    }

#define MOMA_ROWS                                                                                  \
    SKETCH_ROWS,                                                                                   \
    {                                                                                              \
        .name = "k", .type = TC_OPTION_INT, FIELD(k), .def = "5", .min = 1, .max = 1000,           \
        .help = "plays of an arm in one epoch, and estimates; better odd"                          \
    }

#define PRIVATE_ROWS                                                                               \
    {.name = "noise_bound",                                                                        \
     .type = TC_OPTION_FLOAT,                                                                      \
     FIELD(noise_bound),                                                                           \
     .def = "1",                                                                                   \
     .max = 1e12,                                                                                  \
     .help = "R: public bound on the noise; rewards are clamped to +-(bound + noise_bound)"},      \
        {.name = "epsilon",                                                                        \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(epsilon),                                                                           \
         .def = "1",                                                                               \
         .min = 1e-5,                                                                              \
         .max = 64,                                                                                \
         .help = "privacy loss of one answer"},                                                    \
        {.name = "reply",                                                                          \
         .type = TC_OPTION_CHOICE,                                                                 \
         FIELD(reply),                                                                             \
         .def = "laplace",                                                                         \
         .choices = "auto|onebit|piecewise|laplace",                                               \
         .help = "how an answer is perturbed; all but laplace are bounded"},                       \
    {                                                                                              \
        .name = "answers", .type = TC_OPTION_INT, FIELD(answers), .def = "1", .min = 1,            \
        .max = 1e6, .help = "that one user may give; each costs epsilon"                           \
    }

#define ALPHA_ROW                                                                                  \
    {                                                                                              \
        .name = "alpha", .type = TC_OPTION_FLOAT, FIELD(alpha), .def = "1", .min = 0, .max = 1,    \
        .min_open = true, .help = "rewards have a finite moment of order 1 + alpha"                \
    }

#define REWARD_ROWS                                                                                \
    ALPHA_ROW,                                                                                     \
    {                                                                                              \
        .name = "reward_moment", .type = TC_OPTION_FLOAT, FIELD(reward_moment), .def = "4",        \
        .min = 0, .max = 1e24, .min_open = true, .help = "v: bound on that moment of a reward"     \
    }

#define NOISE_ROWS                                                                                 \
    ALPHA_ROW,                                                                                     \
    {                                                                                              \
        .name = "noise_moment", .type = TC_OPTION_FLOAT, FIELD(noise_moment), .def = "3",          \
        .min = 0, .max = 1e24, .min_open = true, .help = "c: bound on that moment of the noise"    \
    }

#define TAIL_ROWS                                                                                  \
    {.name = "tail",                                                                               \
     .type = TC_OPTION_CHOICE,                                                                     \
     FIELD(tail),                                                                                  \
     .def = "moment",                                                                              \
     .choices = "moment|weibull",                                                                  \
     .help = "what is known of rewards: a moment, or P(|noise| > x) <= a exp(-b x^(1/theta))"},    \
        {.name = "tail_theta",                                                                     \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(tail_theta),                                                                        \
         .def = "1",                                                                               \
         .min = 0,                                                                                 \
         .max = 20,                                                                                \
         .min_open = true,                                                                         \
         .help = "theta of a weibull tail: 0.5 is sub-Gaussian, 1 sub-exponential"},               \
        {.name = "tail_a",                                                                         \
         .type = TC_OPTION_FLOAT,                                                                  \
         FIELD(tail_a),                                                                            \
         .def = "1",                                                                               \
         .min = 1,                                                                                 \
         .max = 1e12,                                                                              \
         .help = "its a"},                                                                         \
    {                                                                                              \
        .name = "tail_b", .type = TC_OPTION_FLOAT, FIELD(tail_b), .def = "1", .min = 0,            \
        .max = 1e12, .min_open = true, .help = "its b"                                             \
    }

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
