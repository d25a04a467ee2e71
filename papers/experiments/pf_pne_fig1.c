/* pf_pne_fig1.c - PF-PNE on synthetic functions and on landmine fields [Li, Honorio, Song 2024, Fig. 1,
 * and 2 of the appendix].
 *
 * Settings as in pf_pne.h; T, which is not printed either, is 10,000. Regret is each client's own, the
 * mean over clients. */
#include "papers/experiments/mine_grids.h"
#include "papers/experiments/pf_pne.h"

enum { POINTS = 25 };

TC_PF_RUN(garland, "garland", "", false)
TC_PF_RUN(himmelblau, "himmelblau", "", false)
TC_PF_RUN(rastrigin, "rastrigin", ",dim=10", false)
TC_PF_RUN(doublesine, "doublesine", "", false)
TC_PF_RUN(ackley, "ackley", "", false)

static tacit_status run_landmine(const tc_arm_run *c, tacit_error *err)
{
    return tc_pf_run(c, ((const tc_mine_grids *)c->prepared)->log, NULL, false, err);
}

static const tc_arm arms[] = {
    TC_PF_ARMS,
    {"hct", "HCT", TC_ARM_BOTH, "hct"},
    {"fed1-ucb", "Fed1-UCB", TC_ARM_BOTH, "fed1-ucb"},
    {"fn-ucb", "FN-UCB", TC_ARM_BOTH, "fn-ucb"},
    {"fed-hct", "fed-hct (tacit)", TC_ARM_DEFAULT, "fed-hct"},
};
static const size_t shown[] = {4, 12, 24};

#define OTHERS                                                                                     \
    {"PF-PNE has less regret than Fed1-UCB", TC_BELOW, {"pf-pne", 24}, {"fed1-ucb", 24}},          \
        {"PF-PNE has less regret than FN-UCB", TC_BELOW, {"pf-pne", 24}, {"fn-ucb", 24}},          \
        {"tacit's fed-hct has less regret than HCT", TC_BELOW, {"fed-hct", 24}, {"hct", 24}},      \
    {                                                                                              \
        NULL                                                                                       \
    }
static const tc_statement first_says[] = {
    {"PF-PNE has less regret than HCT", TC_BELOW, {"pf-pne", 24}, {"hct", 24}},
    {"PF-PNE has less regret than Fed-PNE", TC_BELOW, {"pf-pne", 24}, {"fed-pne", 24}},
    OTHERS};
static const tc_statement level_says[] = {
    {"PF-PNE is level with HCT", TC_LEVEL, {"pf-pne", 24}, {"hct", 24}},
    {"PF-PNE is level with Fed-PNE", TC_LEVEL, {"pf-pne", 24}, {"fed-pne", 24}},
    OTHERS};

#define FIRST .claim = "PF-PNE has the smallest cumulative regret", .statements = first_says
#define SLIGHTLY                                                                                   \
    .claim = "PF-PNE is slightly better than HCT and much better than Fed-PNE",                    \
    .statements = first_says
#define ALIKE .claim = "PF-PNE performs similarly as HCT and Fed-PNE", .statements = level_says

/* What all of them show. */
#define REGRET                                                                                     \
    TC_ARMS(arms),                                                                                 \
        .x = {.label = "pulls of each client", .n = POINTS, .step = 400, .quick_step = 80},        \
        .y_label = "cumulative regret of a client", TC_SHOWN(shown)

#define FIG1(id, name_, figure_, claim_, objective_, seconds_)                                     \
    const tc_experiment tc_experiment_pf_##id = {.name = name_,                                    \
                                                 .figure = figure_,                                \
                                                 TC_PF_FACTS(objective_, seconds_),                \
                                                 REGRET,                                           \
                                                 claim_,                                           \
                                                 .run = run_##id}

FIG1(garland, "pf-pne-fig1a", "Fig. 1a", FIRST, "garland", 0.3);
FIG1(himmelblau, "pf-pne-fig1b", "Fig. 1b", FIRST, "himmelblau", 0.5);
FIG1(rastrigin, "pf-pne-fig1c", "Fig. 1c", FIRST, "rastrigin in 10 dimensions", 3);
FIG1(doublesine, "pf-pne-fig2a", "Fig. 2 (doublesine)", SLIGHTLY, "doublesine", 0.3);
FIG1(ackley, "pf-pne-fig2b", "Fig. 2 (ackley)", ALIKE, "ackley", 0.5);

const tc_experiment tc_experiment_pf_landmine = {
    .name = "pf-pne-fig1d-landmine",
    .paper = "pf-pne",
    .figure = "Fig. 1d (landmine)",
    .setting = "the first 10 fields, one client each, log axes, noise U(+-0.1); NOT PRIVATE",
    .stand_in =
        "a grid of 20 x 20 machines on log axes and the first 10 fields (the paper: plain ranges, "
        "random fields); clients, T and noise are not in the paper",
    .version = 1,
    .runs = 20,
    .quick_runs = 2,
    .seconds = 1,
    .quick_seconds = 0.3,
    TC_MINE_DATA,
    REGRET,
    FIRST,
    .run = run_landmine,
};
