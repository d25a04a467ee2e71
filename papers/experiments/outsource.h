/* outsource.h - one outsourced search as a cell: a curator releases rows, a modeler asks about them.
 *
 * The mode of the arm decides: paper mode is the projection of PO-GP-UCB as printed, which protects
 * nothing; the default is noise in every row. For the po-gp-ucb files of experiments/. */
#ifndef TC_PAPERS_PAPERS_OUTSOURCE_H
#define TC_PAPERS_PAPERS_OUTSOURCE_H

#include "papers/frame/drive.h"

typedef struct tc_outsource_task {
    const char *objective, *words; /* and words of tc_objective_options */
    const char *options;           /* of the modeler */
    double unit;                   /* what counts as a distance of 1, in every column */
    double epsilon; /* 0: there is no curator, the modeler sees the rows themselves */
    double delta;   /* of paper mode */
    size_t rank;    /* of paper mode: r */
    uint64_t questions;
} tc_outsource_task;

/* curve: the simple regret after each question. */
tacit_status tc_outsource(const tc_arm_run *c, const tc_outsource_task *t, double *curve,
                          tacit_error *err);

/* The epsilon at which the branch of Algorithm 1, sigma_min >= omega, lies between the ranks `last` and
 * `next` on the rows of the task's objective. */
tacit_status tc_outsource_branch(const tc_outsource_task *t, size_t last, size_t next,
                                 double *epsilon, tacit_error *err);

/* ---- rows of Fig. 2a and of Branin: three epsilons, each in both modes, beside GP-UCB */

enum { TC_OUTSOURCE_ARMS = 7, TC_OUTSOURCE_QUESTIONS = 50, TC_OUTSOURCE_RANK = 10 };
extern const tc_arm tc_outsource_arms[TC_OUTSOURCE_ARMS];
/* Of one of these arms; 0: the modeler sees the rows themselves. */
double tc_outsource_epsilon(const tc_arm *arm);

/* Both are statements after the last question. */
#define TC_OUTSOURCE_COSTS                                                                         \
    {"at e^1.1 the projection costs little",                                                       \
     TC_NO_WORSE,                                                                                  \
     {"e1.1-paper", TC_OUTSOURCE_QUESTIONS - 1},                                                   \
     {"non-private", TC_OUTSOURCE_QUESTIONS - 1}},                                                 \
    {                                                                                              \
        "a smaller epsilon costs regret (paper mode, e^1.1 before 1)", TC_BELOW,                   \
            {"e1.1-paper", TC_OUTSOURCE_QUESTIONS - 1},                                            \
        {                                                                                          \
            "e0-paper", TC_OUTSOURCE_QUESTIONS - 1                                                 \
        }                                                                                          \
    }
#define TC_OUTSOURCE_ROWS(arm, epsilon)                                                            \
    {                                                                                              \
        "row noise is better than the projection at " epsilon, TC_BELOW,                           \
            {arm "-rows", TC_OUTSOURCE_QUESTIONS - 1},                                             \
        {                                                                                          \
            arm "-paper", TC_OUTSOURCE_QUESTIONS - 1                                               \
        }                                                                                          \
    }

/* Members of a tc_experiment of that kind. */
extern const size_t tc_outsource_shown[3];
#define TC_OUTSOURCE_CURVES                                                                        \
    .paper = "po-gp-ucb", TC_ARMS(tc_outsource_arms),                                              \
    .x = {.label = "questions", .n = TC_OUTSOURCE_QUESTIONS, .step = 1}, .y_log = true,            \
    TC_SHOWN(tc_outsource_shown)

#endif
