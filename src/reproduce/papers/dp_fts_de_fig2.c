/* dp_fts_de_fig2.c - DP-FTS-DE on synthetic functions [Dai, Low, Jaillet 2021, Fig. 2 and 4 to 7].
 *
 * N = 200 agents on 1000 points of [0,1]: one draw of an SE process shared by all plus 0.1 times an own
 * one, M = 50, ten initial points, 1 - p_t = 1/sqrt(t), 40 rounds. The paper gives neither the
 * length-scale nor the noise: 0.03 and 0.1 here. Paper mode has drawn frequencies, draws as messages,
 * a release in every round and the printed noise; the default keeps the same (epsilon, delta) as tacit
 * chooses to. TS knows the true constants. */
#include "reproduce/drive.h"

enum { AGENTS = 200, ROUNDS = 40 };

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {
        .objective = "gp-family", .agents = c->quick ? 20 : AGENTS, .initial = 10};
    return tc_drive_federated(c, &t, err);
}

/* Numbers of the paper: delta = 200^-1.1 of all losses. */
#define DELTA 0.00294352
#define TRUE                                                                                       \
    "kernel=se,lengthscale=0.03,fit=false,variance=1,noise=0.01,standardize=false,features=128"
#define TS                                                                                         \
    {"ts", "TS", TC_ARM_PAPER, "ts", TRUE ",init=10,start=uniform"},                               \
    {                                                                                              \
        "ts-sobol", "TS", TC_ARM_DEFAULT, "ts", TRUE ",init=10"                                    \
    }
#define OWN           "features=50,lengthscale=0.03"
#define PRINTED       OWN ",mode=paper,spectrum=drawn,message=draw,releases=all,absorb=point"
#define PRIVATE(more) PRINTED ",regions=2," more

/* A line as published, and what tacit does at the same price; quick runs have fewer agents, whose
 * promise is kept all the same. */
#define LINE(id, text, more, eps)                                                                  \
    {id, text, TC_ARM_PAPER, "dp-fts-de", PRIVATE(more)},                                          \
    {                                                                                              \
        id "-tacit", text, TC_ARM_DEFAULT, "dp-fts-de", OWN, eps, DELTA                            \
    }

static const tc_arm arms_a[] = {
    TS,
    {"fts", "FTS", TC_ARM_PAPER, "dp-fts-de", PRINTED ",noise_multiplier=0,regions=1"},
    {"fts-de-2", "FTS-DE, P = 2", TC_ARM_PAPER, "dp-fts-de",
     PRINTED ",noise_multiplier=0,regions=2"},
    {"fts-de-4", "FTS-DE, P = 4", TC_ARM_PAPER, "dp-fts-de",
     PRINTED ",noise_multiplier=0,regions=4"},
    {"fts-de-4-tacit", "FTS-DE, P = 4", TC_ARM_DEFAULT, "dp-fts-de",
     OWN ",noise_multiplier=0,regions=4"},
    {"uniform", "ablation: uniform points", TC_ARM_PAPER, "dp-fts-de",
     PRINTED ",noise_multiplier=0,regions=4,broadcast=uniform"},
};
static const tc_arm arms_b[] = {
    TS,
    {"s2", "S = 2", TC_ARM_PAPER, "dp-fts-de", PRIVATE("sampling_rate=0.25,clip=2")},
    {"s5", "S = 5", TC_ARM_PAPER, "dp-fts-de", PRIVATE("sampling_rate=0.25,clip=5")},
    LINE("s11", "S = 11", "sampling_rate=0.25,clip=11", 9.91),
    {"s22", "S = 22", TC_ARM_PAPER, "dp-fts-de", PRIVATE("sampling_rate=0.25,clip=22")},
    {"s44", "S = 44", TC_ARM_PAPER, "dp-fts-de", PRIVATE("sampling_rate=0.25,clip=44")},
};
static const tc_arm arms_c[] = {
    TS,
    LINE("q15", "q = 0.15, epsilon 5.93", "clip=11,sampling_rate=0.15", 5.93),
    LINE("q25", "q = 0.25, epsilon 9.91", "clip=11,sampling_rate=0.25", 9.91),
    LINE("q50", "q = 0.5, epsilon 20.12", "clip=11,sampling_rate=0.5", 20.12),
};
static const tc_arm arms_d[] = {
    TS,
    LINE("z10", "z = 1, epsilon 9.91", "clip=11,sampling_rate=0.25,noise_multiplier=1", 9.91),
    LINE("z12", "z = 1.2, epsilon 7.39", "clip=11,sampling_rate=0.25,noise_multiplier=1.2", 7.39),
    LINE("z15", "z = 1.5, epsilon 5.22", "clip=11,sampling_rate=0.25,noise_multiplier=1.5", 5.22),
};
static const size_t shown[] = {1, 5, 10, 20, 40};

static const tc_statement says_a[] = {
    {"FTS is better than TS at t = 10", TC_BELOW, {"fts", 10}, {"ts", 10}},
    {"FTS-DE with P = 4 is better than FTS at t = 10", TC_BELOW, {"fts-de-4", 10}, {"fts", 10}},
    {"P = 4 is better than P = 2 at t = 10", TC_BELOW, {"fts-de-4", 10}, {"fts-de-2", 10}},
    {"and it is the messages: FTS-DE is better than uniform points at t = 10",
     TC_BELOW,
     {"fts-de-4", 10},
     {"uniform", 10}},
    {NULL}};
static const tc_statement says_b[] = {
    {"S = 11 is better than S = 2 at t = 10", TC_BELOW, {"s11", 10}, {"s2", 10}},
    {"S = 11 is better than S = 44 at t = 10", TC_BELOW, {"s11", 10}, {"s44", 10}},
    {"tacit's default is better at the same (epsilon, delta) at t = 10",
     TC_BELOW,
     {"s11-tacit", 10},
     {"s11", 10}},
    {NULL}};
static const tc_statement says_c[] = {
    {"DP-FTS-DE with q = 0.25 is better than TS at t = 10", TC_BELOW, {"q25", 10}, {"ts", 10}},
    {"q = 0.5 is better than q = 0.15 at t = 10", TC_BELOW, {"q50", 10}, {"q15", 10}},
    {"tacit's default is better at epsilon 5.93 at t = 10",
     TC_BELOW,
     {"q15-tacit", 10},
     {"q15", 10}},
    {NULL}};
static const tc_statement says_d[] = {
    {"z = 1 is better than z = 1.5 at t = 10", TC_BELOW, {"z10", 10}, {"z15", 10}},
    {"tacit's default is better at epsilon 5.22 at t = 10",
     TC_BELOW,
     {"z15-tacit", 10},
     {"z15", 10}},
    {NULL}};

#define FIG2(id, name_, figure_, claim_, setting_, seconds_, arms_, says, run_)                    \
    const tc_experiment tc_experiment_##id = {                                                     \
        .name = name_,                                                                             \
        .paper = "dp-fts-de",                                                                      \
        .figure = figure_,                                                                         \
        .claim = claim_,                                                                           \
        .setting = "N = 200, M = 50, l = 0.03, noise 0.1, 1000 points" setting_,                   \
        .version = 1,                                                                              \
        .runs = 40,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = seconds_ / 20.0,                                                          \
        TC_ARMS(arms_),                                                                            \
        .x = {.label = "t", .n = ROUNDS + 1, .step = 1, .from_zero = true},                        \
        .y_label = "simple regret",                                                                \
        .y_log = true,                                                                             \
        TC_SHOWN(shown),                                                                           \
        .run = run_,                                                                               \
        .statements = says,                                                                        \
    }

FIG2(dp_fig2a, "dp-fts-de-fig2a", "Fig. 2a",
     "FTS is better than TS, FTS-DE better than FTS, more regions better",
     "; no noise, NOT PRIVATE", 10, arms_a, says_a, run);
FIG2(dp_fig2b, "dp-fts-de-fig2b", "Fig. 2b",
     "too small and too large clip norms S hurt; S = 11 is best",
     ", P = 2, q = 0.25, z = 1: epsilon 9.91, delta 0.0029", 10, arms_b, says_b, run);
FIG2(dp_fig2c, "dp-fts-de-fig2c", "Fig. 2c",
     "a larger sampling rate q is better and costs more privacy",
     ", P = 2, S = 11, z = 1, delta 0.0029", 10, arms_c, says_c, run);
FIG2(dp_fig2d, "dp-fts-de-fig2d", "Fig. 2d",
     "a smaller noise multiplier z is better and costs more privacy",
     ", P = 2, S = 11, q = 0.25, delta 0.0029", 10, arms_d, says_d, run);

/* ---- the appendix: what its text says of Fig. 4 to 7 */

static tacit_status run_far(const tc_arm_run *c, tacit_error *err)
{
    tc_federated_task t = {.objective = "gp-family",
                           .words = "distance=1.2",
                           .agents = c->quick ? 20 : AGENTS,
                           .initial = 10};
    return tc_drive_federated(c, &t, err);
}

#define FREE PRINTED ",noise_multiplier=0,"
static const tc_arm arms_4[] = {
    TS,
    {"dp-fts", "DP-FTS", TC_ARM_PAPER, "dp-fts-de",
     PRINTED ",regions=1,clip=11,sampling_rate=0.25"},
    LINE("dp-fts-de", "DP-FTS-DE, P = 2", "clip=11,sampling_rate=0.25", 9.91),
};
static const tc_arm arms_5[] = {
    TS,
    {"fts", "FTS", TC_ARM_PAPER, "dp-fts-de", FREE "regions=1"},
    {"starts", "local starts alone", TC_ARM_PAPER, "dp-fts-de", FREE "regions=4,weights=uniform"},
    {"weights", "weights alone", TC_ARM_PAPER, "dp-fts-de", FREE "regions=4,init=domain"},
    {"both", "FTS-DE, P = 4", TC_ARM_PAPER, "dp-fts-de", FREE "regions=4"},
};
static const tc_arm arms_6[] = {
    {"p1", "P = 1", TC_ARM_PAPER, "dp-fts-de", PRINTED ",regions=1,clip=11,sampling_rate=0.25"},
    LINE("p2", "P = 2", "clip=11,sampling_rate=0.25", 9.91),
    {"p4", "P = 4", TC_ARM_PAPER, "dp-fts-de", PRINTED ",regions=4,clip=11,sampling_rate=0.25"},
    {"p8", "P = 8", TC_ARM_PAPER, "dp-fts-de", PRINTED ",regions=8,clip=11,sampling_rate=0.25"},
};
static const tc_arm arms_7[] = {
    TS,
    {"ts-region", "TS, first points in one of 2 regions", TC_ARM_PAPER, "ts",
     TRUE ",init=10,start=region,start_regions=2"},
    {"sqrt", "FTS-DE, 1 - p_t = 1/sqrt(t)", TC_ARM_PAPER, "dp-fts-de", FREE "regions=2"},
    {"inverse", "FTS-DE, 1 - p_t = 1/t", TC_ARM_PAPER, "dp-fts-de",
     FREE "regions=2,schedule=inverse"},
};
static const tc_statement says_4[] = {{"DP-FTS-DE is better than DP-FTS at the same price, t = 10",
                                       TC_BELOW,
                                       {"dp-fts-de", 10},
                                       {"dp-fts", 10}},
                                      {NULL}};
static const tc_statement says_5[] = {{"both halves are better than local starts alone at t = 10",
                                       TC_BELOW,
                                       {"both", 10},
                                       {"starts", 10}},
                                      {"both halves are better than weights alone at t = 10",
                                       TC_BELOW,
                                       {"both", 10},
                                       {"weights", 10}},
                                      {NULL}};
static const tc_statement says_6[] = {
    {"P = 2 is better than P = 1 at t = 10", TC_BELOW, {"p2", 10}, {"p1", 10}},
    {"more regions than P = 2 do not help at t = 10 (P = 2 before 8)",
     TC_BELOW,
     {"p2", 10},
     {"p8", 10}},
    {NULL}};
static const tc_statement says_7[] = {
    {"FTS-DE is no worse than TS at t = 20", TC_NO_WORSE, {"sqrt", 20}, {"ts", 20}},
    {"with 1/t it is better than with 1/sqrt(t) at t = 20",
     TC_BELOW,
     {"inverse", 20},
     {"sqrt", 20}},
    {"FTS-DE is no worse than TS that starts in regions at t = 20",
     TC_NO_WORSE,
     {"sqrt", 20},
     {"ts-region", 20}},
    {NULL}};

FIG2(dp_fig4, "dp-fts-de-fig4", "Fig. 4 (appendix)",
     "DP-FTS-DE is better than DP-FTS at the same privacy loss",
     ", S = 11, q = 0.25, z = 1: epsilon 9.91, delta 0.0029", 6, arms_4, says_4, run);
FIG2(dp_fig5, "dp-fts-de-fig5", "Fig. 5 (appendix)",
     "both halves of DE are necessary: local starts and weights", "; no noise, NOT PRIVATE", 8,
     arms_5, says_5, run);
FIG2(dp_fig6, "dp-fts-de-fig6", "Fig. 6 (appendix)",
     "the number P of regions is a trade-off under noise",
     ", S = 11, q = 0.25, z = 1: epsilon 9.91, delta 0.0029", 6, arms_6, says_6, run);
FIG2(dp_fig7, "dp-fts-de-fig7", "Fig. 7 (appendix)",
     "agents far apart: comparable to TS, better where 1 - p_t falls faster",
     ", distance 1.2; no noise, NOT PRIVATE", 8, arms_7, says_7, run_far);
