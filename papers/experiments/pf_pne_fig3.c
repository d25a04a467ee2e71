/* pf_pne_fig3.c - what PF-PNE and Fed-PNE send [Li, Honorio, Song 2024, Fig. 3 of the appendix].
 *
 * Settings as in pf_pne.h. Counted are the numbers that a client has sent and been sent. The paper
 * compares the two PNE bandits; the other two that communicate stand beside them. */
#include "papers/experiments/pf_pne.h"

enum { POINTS = 50, HALF = 24, END = 49 };

TC_PF_RUN(garland, "garland", "", true)
TC_PF_RUN(himmelblau, "himmelblau", "", true)

static const tc_arm arms[] = {
    TC_PF_ARMS,
    {"fed1-ucb", "Fed1-UCB", TC_ARM_BOTH, "fed1-ucb"},
    {"fed-hct", "fed-hct (tacit)", TC_ARM_DEFAULT, "fed-hct"},
};
static const size_t shown[] = {4, HALF, END};

static const tc_statement says[] = {
    {"PF-PNE stops to send: no more in all than in the first half",
     TC_SAME,
     {"pf-pne", END},
     {"pf-pne", HALF}},
    {"Fed-PNE goes on to send", TC_BELOW, {"fed-pne", HALF}, {"fed-pne", END}},
    {"PF-PNE sends less than Fed-PNE", TC_BELOW, {"pf-pne", END}, {"fed-pne", END}},
    {NULL}};

#define FIG3(id, name_, figure_, objective_, seconds_)                                             \
    const tc_experiment tc_experiment_pf_sent_##id = {                                             \
        .name = name_,                                                                             \
        .figure = figure_,                                                                         \
        .claim = "PF-PNE stops to communicate after a while, Fed-PNE does not",                    \
        TC_PF_FACTS(objective_, seconds_),                                                         \
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
