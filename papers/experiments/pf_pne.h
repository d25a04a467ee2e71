/* pf_pne.h - what the figures of PF-PNE have in common [Li, Honorio, Song 2024]: clients, noise, rows.
 *
 * The constants of its appendix: nu = 1, rho = 0.5, c = 0.1, c1 = 1, Delta = 0.01, delta = 1/M, binary
 * partition. M, T, the noise and the size of the shifts are printed nowhere: M = 10, noise U(+-0.1),
 * shifts of sd 0.01 of the range (similar clients, the best case for a federation). For the pf-pne files
 * of experiments/. */
#ifndef TC_PAPERS_PAPERS_PF_PNE_H
#define TC_PAPERS_PAPERS_PF_PNE_H

#include "papers/frame/drive.h"

/* Ten clients who pull arms of `objective`. sent: the values are the numbers that a client has sent and
 * been sent, else its cumulative regret. */
static inline tacit_status tc_pf_run(const tc_arm_run *c, const char *objective, const char *words,
                                     bool sent, tacit_error *err)
{
    tc_bandit_task t = {.objective = objective,
                        .words = words,
                        .clients = 10,
                        .low = 0,
                        .high = 1,
                        .noise = 0.1,
                        .sent = sent};
    return tc_drive_pulls(c, &t, err);
}

/* run_ID on clients whose functions are shifted a little. */
#define TC_PF_RUN(id, objective_, more_words, sent_)                                               \
    static tacit_status run_##id(const tc_arm_run *c, tacit_error *err)                            \
    {                                                                                              \
        return tc_pf_run(c, objective_, "shift=0.01" more_words, sent_, err);                      \
    }

/* The first arms of every figure: the two bandits that the paper compares. */
#define TC_PF_ARMS                                                                                 \
    {"pf-pne", "PF-PNE", TC_ARM_PAPER, "pf-pne", "rule=paper"},                                    \
        {"pf-pne-sound", "PF-PNE", TC_ARM_DEFAULT, "pf-pne"},                                      \
    {                                                                                              \
        "fed-pne", "Fed-PNE", TC_ARM_BOTH, "fed-pne"                                               \
    }

/* Members of a tc_experiment on such clients. */
#define TC_PF_FACTS(objective_, seconds_)                                                          \
    .paper = "pf-pne",                                                                             \
    .setting = objective_ ", M = 10, shifts of 0.01 of the range, noise U(+-0.1); NOT PRIVATE",    \
    .stand_in = "M, T, noise and shifts are not in the paper", .version = 1, .runs = 40,           \
    .quick_runs = 2, .seconds = (seconds_), .quick_seconds = (seconds_) / 4.0

#endif
