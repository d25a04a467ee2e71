/* pf_pne_fig1.c - PF-PNE on synthetic functions and on landmine fields [Li, Honorio, Song 2024, Fig. 1,
 * and 2 of the appendix].
 *
 * The constants of its appendix: nu = 1, rho = 0.5, c = 0.1, c1 = 1, Delta = 0.01, delta = 1/M, binary
 * partition. M, T, the noise and the size of the shifts are printed nowhere: M = 10, T = 10,000, noise
 * U(+-0.1), shifts of sd 0.01 of the range (similar clients, the best case for a federation). Regret is
 * each client's own, the mean over clients. */
#include "reproduce/drive.h"
#include "reproduce/papers/mine_grids.h"

enum { CLIENTS = 10, POINTS = 25 };

static tacit_status run(const tc_arm_run *c, const char *objective, const char *words,
                        tacit_error *err)
{
    tc_pull_task t = {.objective = objective,
                      .words = words,
                      .clients = CLIENTS,
                      .low = 0,
                      .high = 1,
                      .noise = 0.1};
    return tc_drive_pulls(c, &t, err);
}

static tacit_status run_garland(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "garland", "shift=0.01", err);
}

static tacit_status run_himmelblau(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "himmelblau", "shift=0.01", err);
}

static tacit_status run_rastrigin(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "rastrigin", "shift=0.01,dim=10", err);
}

static tacit_status run_doublesine(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "doublesine", "shift=0.01", err);
}

static tacit_status run_ackley(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "ackley", "shift=0.01", err);
}

static tacit_status run_landmine(const tc_arm_run *c, tacit_error *err)
{
    return run(c, ((const tc_mine_grids *)c->prepared)->log, NULL, err);
}

static const tc_arm arms[] = {
    {"pf-pne", "PF-PNE", TC_ARM_PAPER, "pf-pne", "rule=paper"},
    {"pf-pne-sound", "PF-PNE", TC_ARM_DEFAULT, "pf-pne"},
    {"fed-pne", "Fed-PNE", TC_ARM_BOTH, "fed-pne"},
    {"hct", "HCT", TC_ARM_BOTH, "hct"},
    {"fed1-ucb", "Fed1-UCB", TC_ARM_BOTH, "fed1-ucb"},
    {"fn-ucb", "FN-UCB", TC_ARM_BOTH, "fn-ucb"},
    {"fed-hct", "fed-hct (tacit)", TC_ARM_DEFAULT, "fed-hct"},
};
static const size_t shown[] = {4, 12, 24};

static const tc_statement says[] = {
    {"PF-PNE has less regret than HCT", TC_BELOW, {"pf-pne", 24}, {"hct", 24}},
    {"PF-PNE has less regret than Fed-PNE", TC_BELOW, {"pf-pne", 24}, {"fed-pne", 24}},
    {"PF-PNE has less regret than Fed1-UCB", TC_BELOW, {"pf-pne", 24}, {"fed1-ucb", 24}},
    {"PF-PNE has less regret than FN-UCB", TC_BELOW, {"pf-pne", 24}, {"fn-ucb", 24}},
    {"tacit's fed-hct has less regret than HCT", TC_BELOW, {"fed-hct", 24}, {"hct", 24}},
    {NULL}};

#define FIG1(id, name_, figure_, objective_, seconds_)                                             \
    const tc_experiment tc_experiment_pf_##id = {                                                  \
        .name = name_,                                                                             \
        .paper = "pf-pne",                                                                         \
        .figure = figure_,                                                                         \
        .claim = "PF-PNE has the smallest cumulative regret",                                      \
        .setting =                                                                                 \
            objective_ ", M = 10, shifts of 0.01 of the range, noise U(+-0.1); NOT PRIVATE",       \
        .stand_in = "M, T, noise and shifts are not in the paper",                                 \
        .version = 1,                                                                              \
        .runs = 40,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = seconds_ / 4.0,                                                           \
        TC_ARMS(arms),                                                                             \
        .x = {.label = "pulls of each client", .n = POINTS, .step = 400, .quick_step = 80},        \
        .y_label = "cumulative regret of a client",                                                \
        TC_SHOWN(shown),                                                                           \
        .run = run_##id,                                                                           \
        .statements = says,                                                                        \
    }

FIG1(garland, "pf-pne-fig1a", "Fig. 1a", "garland", 0.3);
FIG1(himmelblau, "pf-pne-fig1b", "Fig. 1b", "himmelblau", 0.5);
FIG1(rastrigin, "pf-pne-fig1c", "Fig. 1c", "rastrigin in 10 dimensions", 3);
FIG1(doublesine, "pf-pne-fig2a", "Fig. 2 (doublesine)", "doublesine", 0.3);
FIG1(ackley, "pf-pne-fig2b", "Fig. 2 (ackley)", "ackley", 0.5);

const tc_experiment tc_experiment_pf_landmine = {
    .name = "pf-pne-fig1d-landmine",
    .paper = "pf-pne",
    .figure = "Fig. 1d (landmine)",
    .claim = "PF-PNE has the smallest cumulative regret",
    .setting = "the first 10 fields, one client each, log axes, noise U(+-0.1); NOT PRIVATE",
    .stand_in = "a grid of 20 x 20 machines; clients, T and noise are not in the paper",
    .version = 1,
    .runs = 20,
    .quick_runs = 2,
    .seconds = 1,
    .quick_seconds = 0.3,
    TC_MINE_DATA,
    TC_ARMS(arms),
    .x = {.label = "pulls of each client", .n = POINTS, .step = 400, .quick_step = 80},
    .y_label = "cumulative regret of a client",
    TC_SHOWN(shown),
    .run = run_landmine,
    .statements = says,
};
