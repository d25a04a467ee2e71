/* fts_mine.h - federated Thompson sampling on landmine detection: the runs behind Fig. 2a and 3a of Dai,
 * Low and Jaillet (2020).
 *
 * 29 agents, the first six are the targets: 3 initial points, messages of t_n = 50 trials, 50 iterations.
 * Paper mode has the authors' shared features (length-scale 0.01, scaled to norm 1, noise 1e-6) on linear
 * axes. For the landmine files of fts in experiments/. */
#ifndef TC_PAPERS_PAPERS_FTS_MINE_H
#define TC_PAPERS_PAPERS_FTS_MINE_H

#include "papers/frame/drive.h"
#include "papers/experiments/mine_grids.h"

enum { TC_FTS_TARGETS = 6, TC_FTS_ROUNDS = 50, TC_FTS_PAST = 50 };

#define TC_FTS_AUTHORS "unit=true,lengthscale=0.01,noise=1e-6,initial=3"

/* Arms of paper mode, and the same as tacit has them. */
#define TC_FTS_TS                                                                                  \
    {                                                                                              \
        "ts", "TS", TC_ARM_PAPER, "ts", "init=3,start=uniform"                                     \
    }
#define TC_FTS_TS_TACIT                                                                            \
    {                                                                                              \
        "ts-tacit", "TS", TC_ARM_DEFAULT, "ts", "init=3"                                           \
    }
#define TC_FTS_M(m)                                                                                \
    {                                                                                              \
        "fts-" m, "FTS, M = " m, TC_ARM_PAPER, "fts",                                              \
            TC_FTS_AUTHORS ",schedule=square,features=" m                                          \
    }
#define TC_FTS_M_TACIT(m)                                                                          \
    {                                                                                              \
        "fts-" m "-tacit", "FTS, M = " m, TC_ARM_DEFAULT, "fts", "initial=3,features=" m           \
    }
#define TC_FTS_RGPE                                                                                \
    {                                                                                              \
        "rgpe", "RGPE, M = 100", TC_ARM_PAPER, "rgpe", TC_FTS_AUTHORS ",features=100"              \
    }
#define TC_FTS_RGPE_TACIT                                                                          \
    {                                                                                              \
        "rgpe-tacit", "RGPE, M = 100", TC_ARM_DEFAULT, "rgpe", "initial=3"                         \
    }
#define TC_FTS_TAF                                                                                 \
    {                                                                                              \
        "taf", "TAF, M = 100", TC_ARM_PAPER, "taf", TC_FTS_AUTHORS ",features=100"                 \
    }
#define TC_FTS_TAF_TACIT                                                                           \
    {                                                                                              \
        "taf-tacit", "TAF, M = 100", TC_ARM_DEFAULT, "taf", "initial=3"                            \
    }

/* The task of the arm's mode. */
static inline tc_federated_task tc_fts_mine_task(const tc_arm_run *c)
{
    return (tc_federated_task){.objective = tc_mine_grid(c),
                               .agents = TC_LANDMINE_FIELDS,
                               .past = TC_FTS_PAST,
                               .targets = TC_FTS_TARGETS};
}

#endif
