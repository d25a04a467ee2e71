/* pf_pne_fig3.c - what PF-PNE and Fed-PNE send [Li, Honorio, Song 2024, Fig. 3 of the appendix].
 *
 * Settings as in pf_pne_fig1.c. Counted are the numbers that a client has sent and been sent. The paper
 * compares the two PNE bandits; the other two that communicate stand beside them. */
#include "reproduce/drive.h"

enum { CLIENTS = 10, POINTS = 50, HALF = 24, END = 49 };

static tacit_status run(const tc_arm_run *c, const char *objective, tacit_error *err)
{
    tc_pull_task t = {.objective = objective,
                      .words = "shift=0.01",
                      .clients = CLIENTS,
                      .low = 0,
                      .high = 1,
                      .noise = 0.1,
                      .sent = true};
    return tc_drive_pulls(c, &t, err);
}

static tacit_status run_garland(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "garland", err);
}

static tacit_status run_himmelblau(const tc_arm_run *c, tacit_error *err)
{
    return run(c, "himmelblau", err);
}

static const tc_arm arms[] = {
    {"pf-pne", "PF-PNE", TC_ARM_PAPER, "pf-pne", "rule=paper"},
    {"pf-pne-sound", "PF-PNE", TC_ARM_DEFAULT, "pf-pne"},
    {"fed-pne", "Fed-PNE", TC_ARM_BOTH, "fed-pne"},
    {"fed1-ucb", "Fed1-UCB", TC_ARM_BOTH, "fed1-ucb"},
    {"fed-hct", "fed-hct (tacit)", TC_ARM_DEFAULT, "fed-hct"},
};
static const size_t shown[] = {4, HALF, END};

static const tc_statement says[] = {
    {"PF-PNE stops to send: no more in all than in the first half",
     TC_LEVEL,
     {"pf-pne", END},
     {"pf-pne", HALF}},
    {"Fed-PNE goes on to send", TC_BELOW, {"fed-pne", HALF}, {"fed-pne", END}},
    {"PF-PNE sends less than Fed-PNE", TC_BELOW, {"pf-pne", END}, {"fed-pne", END}},
    {NULL}};

#define FIG3(id, name_, figure_, objective_, seconds_)                                             \
    const tc_experiment tc_experiment_pf_sent_##id = {                                             \
        .name = name_,                                                                             \
        .paper = "pf-pne",                                                                         \
        .figure = figure_,                                                                         \
        .claim = "PF-PNE stops to communicate after a while, Fed-PNE does not",                    \
        .setting =                                                                                 \
            objective_ ", M = 10, shifts of 0.01 of the range, noise U(+-0.1); NOT PRIVATE",       \
        .stand_in = "M, T, noise and shifts are not in the paper",                                 \
        .version = 1,                                                                              \
        .runs = 40,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = seconds_ / 4.0,                                                           \
        TC_ARMS(arms),                                                                             \
        .x = {.label = "pulls of each client", .n = POINTS, .step = 1000, .quick_step = 40},       \
        .y_label = "numbers sent and received by a client",                                        \
        .y_log = true,                                                                             \
        TC_SHOWN(shown),                                                                           \
        .run = run_##id,                                                                           \
        .statements = says,                                                                        \
    }

FIG3(garland, "pf-pne-fig3a", "Fig. 3 (garland)", "garland", 1);
FIG3(himmelblau, "pf-pne-fig3b", "Fig. 3 (himmelblau)", "himmelblau", 1);
