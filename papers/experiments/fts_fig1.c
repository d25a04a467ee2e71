/* fts_fig1.c - federated Thompson sampling on synthetic functions [Dai, Low, Jaillet 2020, Fig. 1 and 4].
 *
 * N = 50 agents on 1000 points of [0,1]: draws of an SE process scaled to [0,1], all others at an exact
 * distance d from agent 0. Messages tell of t_n trials of earlier studies, every agent starts with one
 * point, 1 - p_t = 1/sqrt(t). The paper gives neither the length-scale nor the noise: 0.03 and 0.1 are
 * those of gp-family. FTS is told both, and so is TS: that it can find them by itself is another line.
 * All arms of a run begin with the same points. Regret is the mean over all agents, each of them the target
 * once. */
#include "papers/experiments/gp_family.h"

#include <string.h>

enum { AGENTS = 50, QUICK_AGENTS = 12 };

static tacit_status run(const tc_arm_run *c, const char *distance, uint64_t past, tacit_error *err)
{
    tc_federated_task t = {.words = distance, .agents = AGENTS, .past = past};
    return tc_gp_family_run(c, t, QUICK_AGENTS, err);
}

static tacit_status run_a(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "distance=0.02", 40, err);
}

static tacit_status run_b(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "distance=0.02", 100, err);
}

static tacit_status run_c(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "distance=1.2", 40, err);
}

#define TS                                                                                         \
    {"ts", "TS", TC_ARM_BOTH, "ts", TC_GP_FAMILY_TS ",init=1"},                                    \
    {                                                                                              \
        "ts-fitted", "TS that fits its constants", TC_ARM_DEFAULT, "ts", "start=uniform,init=1"    \
    }
#define OWN "initial=1,lengthscale=0.03"
#define BETTER                                                                                     \
    {                                                                                              \
        "fts-learned", "FTS, M = 100, learned P_N, means", TC_ARM_DEFAULT, "fts",                  \
            OWN ",features=100,choose=learned,message=mean"                                        \
    }

static const tc_arm arms_ab[] = {
    TS,
    {"fts-50", "FTS, M = 50", TC_ARM_BOTH, "fts", OWN ",features=50"},
    {"fts-100", "FTS, M = 100", TC_ARM_BOTH, "fts", OWN ",features=100"},
    BETTER,
};
static const tc_arm arms_c[] = {
    TS,
    {"fts-sqrt", "FTS, 1 - p_t = 1/sqrt(t)", TC_ARM_BOTH, "fts", OWN ",features=100"},
    {"fts-square", "FTS, 1 - p_t = 1/t^2", TC_ARM_BOTH, "fts", OWN ",features=100,schedule=square"},
    BETTER,
};
static const size_t shown[] = {1, 2, 5, 10, 20, 40};

static const tc_statement similar_few[] = {
    {"FTS is better than TS at t = 10", TC_BELOW, {"fts-100", 10}, {"ts", 10}},
    {"where t_n is small, M does not matter at t = 10", TC_LEVEL, {"fts-100", 10}, {"fts-50", 10}},
    {"a learned P_N is better than a uniform one at t = 1",
     TC_BELOW,
     {"fts-learned", 1},
     {"fts-100", 1}},
    {NULL}};
static const tc_statement similar_many[] = {
    {"FTS is better than TS at t = 10", TC_BELOW, {"fts-100", 10}, {"ts", 10}},
    {"where t_n is large, a larger M is better at t = 10",
     TC_BELOW,
     {"fts-100", 10},
     {"fts-50", 10}},
    {"a learned P_N is better than a uniform one at t = 1",
     TC_BELOW,
     {"fts-learned", 1},
     {"fts-100", 1}},
    {NULL}};
static const tc_statement far[] = {
    {"FTS is no worse than TS at t = 20", TC_NO_WORSE, {"fts-sqrt", 20}, {"ts", 20}},
    {"with 1/t^2 FTS is no worse than TS at t = 20", TC_NO_WORSE, {"fts-square", 20}, {"ts", 20}},
    {"FTS is no worse than TS at t = 40", TC_NO_WORSE, {"fts-sqrt", 40}, {"ts", 40}},
    {"1/t^2 is no worse than 1/sqrt(t) at t = 20",
     TC_NO_WORSE,
     {"fts-square", 20},
     {"fts-sqrt", 20}},
    {NULL}};

#define FIG1(id, name_, figure_, claim_, setting_, arms_, run_, says)                              \
    const tc_experiment tc_experiment_##id = {                                                     \
        TC_GP_FAMILY(name_, figure_, claim_,                                                       \
                     "N = 50, " setting_ ", noise 0.1, l = 0.03, 1000 points; NOT PRIVATE", arms_, \
                     says),                                                                        \
        .paper = "fts",                                                                            \
        .stand_in = TC_GP_FAMILY_STAND_IN,                                                         \
        .runs = 100,                                                                               \
        .seconds = 6,                                                                              \
        .quick_seconds = 1.5,                                                                      \
        TC_SHOWN(shown),                                                                           \
        .run = run_,                                                                               \
    }

FIG1(fts_fig1a, "fts-fig1a", "Fig. 1a",
     "similar agents, few observations: better than TS, whatever M", "d = 0.02, t_n = 40", arms_ab,
     run_a, similar_few);
FIG1(fts_fig1b, "fts-fig1b", "Fig. 1b", "similar agents, many observations: a larger M is better",
     "d = 0.02, t_n = 100", arms_ab, run_b, similar_many);
FIG1(fts_fig1c, "fts-fig1c", "Fig. 1c", "agents far apart: comparable to TS, with 1/t^2 the same",
     "d = 1.2, t_n = 40", arms_c, run_c, far);

/* General mode: everybody sends a new message in every round, about what it knows by then. */
static tacit_status run_general(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "distance=0.02", strcmp(c->arm->name, "one-shot") == 0 ? 40 : 0, err);
}

static const tc_arm arms_4[] = {
    TS,
    {"one-shot", "FTS, one message, t_n = 40", TC_ARM_BOTH, "fts", OWN ",features=100"},
    {"general", "FTS, a message in every round", TC_ARM_BOTH, "fts",
     OWN ",features=100,mode=general"},
};
static const tc_statement general[] = {
    {"in general mode FTS is better than TS at t = 20", TC_BELOW, {"general", 20}, {"ts", 20}},
    {NULL}};

FIG1(fts_fig4, "fts-fig4", "Fig. 4 (appendix)",
     "new messages in every round: as consistent as a single one", "d = 0.02", arms_4, run_general,
     general);
