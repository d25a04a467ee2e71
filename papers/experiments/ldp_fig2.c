/* ldp_fig2.c - locally private and heavy-tailed bandits on synthetic functions [Zhou, Tan 2021, Fig. 2].
 *
 * 100 arms, f a random sum of kernels (l = 0.2) scaled to |f| <= 1. Private: rewards with noise U(+-1),
 * epsilon = 1 for each reply (the paper does not print its epsilon, nor T: 10,000). Heavy tails: noise
 * of Student's t with 3 degrees of freedom, nothing private. Paper mode has constants "order-wise
 * similar to theory", as the paper says of its own; the default those of the theorems. tacit's own way
 * is a bounded reply of one bit through plain gp-ucb, by its formula and at a constant width, which was
 * chosen on other functions (docs/benchmarks.md). */
#include "base/error.h"
#include "papers/frame/drive.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 20 };

/* What gp-ucb must know of its replies: their variance, and that values are not scaled. */
static tacit_status run_onebit(const tc_arm_run *c, tc_single_task *t, tacit_error *err)
{
    tc_reply reply;
    char options[96];
    TC_TRY(tc_reply_init(&reply, TACIT_REPLY_ONE_BIT, 1, -2, 2, err));
    snprintf(options, sizeof options, "noise=%.17g,variance=1,standardize=false",
             reply.sd * reply.sd);
    t->reply = &reply;
    t->options = options;
    return tc_drive_single_points(c, t, err);
}

static tacit_status run(const tc_arm_run *c, const char *objective, const char *words,
                        tacit_error *err)
{
    tc_single_task t = {.objective = objective,
                        .words = words,
                        .trials = (uint64_t)c->x[c->n - 1],
                        .cumulative = true};
    if (strcmp(c->arm->algorithm, "gp-ucb") == 0)
        return run_onebit(c, &t, err);
    return tc_drive_single_points(c, &t, err);
}

#define UNIFORM "noise=uniform,noise-scale=1"
#define STUDENT "noise=student-t,noise-scale=1"

static tacit_status run_private_se(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "rkhs-se", UNIFORM, err);
}

static tacit_status run_private_matern(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "rkhs-matern52", UNIFORM, err);
}

static tacit_status run_heavy_se(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "rkhs-se", STUDENT, err);
}

static tacit_status run_heavy_matern(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "rkhs-matern52", STUDENT, err);
}

#define PAIR(id, text, algorithm, own)                                                             \
    {id, text, TC_ARM_PAPER, algorithm, own ",scale=practical"},                                   \
    {                                                                                              \
        id "-theory", text, TC_ARM_DEFAULT, algorithm, own                                         \
    }
#define ONE_BIT "fit=false,lengthscale=0.2,kernel="
#define PRIVATE_ARMS(kernel)                                                                       \
    {                                                                                              \
        {"random", "uniform play", TC_ARM_BOTH, "random"},                                         \
            PAIR("tgp", "LDP-TGP-UCB", "ldp-tgp", "epsilon=1,noise_bound=1,kernel=" kernel),       \
            PAIR("ata", "LDP-ATA-GP-UCB", "ldp-ata", "epsilon=1,noise_bound=1,kernel=" kernel),    \
            PAIR("moma", "LDP-MoMA-GP-UCB", "ldp-moma", "epsilon=1,noise_bound=1,kernel=" kernel), \
            {"onebit", "gp-ucb, one-bit replies (tacit)", TC_ARM_DEFAULT, "gp-ucb",                \
             ONE_BIT kernel},                                                                      \
        {                                                                                          \
            "onebit-2", "the same, width 2 sd (tacit)", TC_ARM_DEFAULT, "gp-ucb",                  \
                ONE_BIT kernel ",beta=4"                                                           \
        }                                                                                          \
    }
#define HEAVY_ARMS(kernel)                                                                         \
    {                                                                                              \
        {"random", "uniform play", TC_ARM_BOTH, "random"},                                         \
            PAIR("tgp", "TGP-UCB", "tgp-ucb", "reward_moment=4,kernel=" kernel),                   \
            PAIR("ata", "ATA-GP-UCB", "ata-gp-ucb", "reward_moment=4,kernel=" kernel),             \
            PAIR("moma", "MoMA-GP-UCB", "moma-gp-ucb", "noise_moment=3,kernel=" kernel)            \
    }

static const tc_arm private_se_arms[] = PRIVATE_ARMS("se");
static const tc_arm private_matern_arms[] = PRIVATE_ARMS("matern52");
static const tc_arm heavy_se_arms[] = HEAVY_ARMS("se");
static const tc_arm heavy_matern_arms[] = HEAVY_ARMS("matern52");
static const size_t shown[] = {1, 9, 19};

#define ORDER                                                                                      \
    {"MoMA has less regret than TGP", TC_BELOW, {"moma", 19}, {"tgp", 19}},                        \
    {                                                                                              \
        "MoMA has less regret than ATA", TC_BELOW, {"moma", 19},                                   \
        {                                                                                          \
            "ata", 19                                                                              \
        }                                                                                          \
    }
static const tc_statement private_says[] = {
    ORDER,
    {"with the theorems' constants MoMA has learnt something (less than uniform play)",
     TC_BELOW,
     {"moma-theory", 19},
     {"random", 19}},
    {"tacit's one-bit replies have less regret than MoMA", TC_BELOW, {"onebit", 19}, {"moma", 19}},
    {"and still less at a width of 2 sd", TC_BELOW, {"onebit-2", 19}, {"onebit", 19}},
    {NULL}};
static const tc_statement heavy_says[] = {ORDER, {NULL}};

#define FIG2(id, name_, figure_, setting_, says)                                                   \
    const tc_experiment tc_experiment_ldp_##id = {                                                 \
        .name = name_,                                                                             \
        .paper = "ldp",                                                                            \
        .figure = figure_,                                                                         \
        .claim = "MoMA tends to have the smallest cumulative regret",                              \
        .setting = setting_,                                                                       \
        .stand_in =                                                                                \
            "T and epsilon are not in the paper; f is scaled to |f| <= 1 (the paper: B is "        \
            "max |f| of the sum as drawn)",                                                        \
        .version = 1,                                                                              \
        .runs = 100,                                                                               \
        .quick_runs = 2,                                                                           \
        .seconds = 1.5,                                                                            \
        .quick_seconds = 0.3,                                                                      \
        TC_ARMS(id##_arms),                                                                        \
        .x = {.label = "trials", .n = POINTS, .step = 500, .quick_step = 50},                      \
        .y_label = "cumulative regret",                                                            \
        TC_SHOWN(shown),                                                                           \
        .run = run_##id,                                                                           \
        .statements = says,                                                                        \
    }

FIG2(private_se, "ldp-fig2a-se", "Fig. 2a, SE kernel",
     "100 arms, SE kernel, l = 0.2, epsilon = 1 for each reply", private_says);
FIG2(private_matern, "ldp-fig2a-matern", "Fig. 2a, Matern kernel",
     "100 arms, Matern 5/2 kernel, l = 0.2, epsilon = 1 for each reply", private_says);
FIG2(heavy_se, "ldp-fig2d-se", "Fig. 2d, SE kernel",
     "100 arms, SE kernel, l = 0.2, Student-t noise; NOT PRIVATE", heavy_says);
FIG2(heavy_matern, "ldp-fig2d-matern", "Fig. 2d, Matern kernel",
     "100 arms, Matern 5/2 kernel, l = 0.2, Student-t noise; NOT PRIVATE", heavy_says);
