/* gp_family.h - the rows of the synthetic figures: fts Fig. 1 and 4, dp-fts-de Fig. 2, 4 to 7 and 11.
 *
 * Agents on 1000 points of [0,1], whose functions are related draws of an SE process (objective
 * gp-family), and simple regret over 40 iterations. Neither paper gives the length-scale or the noise:
 * 0.03 and 0.1 are the family's. TS and the federations know them alike, and runs are paired: where TS and a
 * federation both begin with uniform points, these are the same. For the synthetic files of experiments/. */
#ifndef TC_PAPERS_PAPERS_GP_FAMILY_H
#define TC_PAPERS_PAPERS_GP_FAMILY_H

#include "papers/frame/drive.h"

enum { TC_GP_FAMILY_ROUNDS = 40 };

/* Members of a tc_experiment. */
#define TC_GP_FAMILY(name_, figure_, claim_, setting_, arms_, says)                                \
    .name = (name_), .figure = (figure_), .claim = (claim_), .setting = setting_, .version = 2,    \
    .quick_runs = 2, TC_ARMS(arms_),                                                               \
    .x = {.label = "t", .n = TC_GP_FAMILY_ROUNDS + 1, .step = 1, .from_zero = true},               \
    .y_label = "simple regret", .y_log = true, .statements = (says)

/* What is not as in the papers, or not said there. */
#define TC_GP_FAMILY_STAND_IN                                                                      \
    "length-scale, noise, points and iterations are not printed; regret is the mean over all "     \
    "agents and other functions in each run (paper: 5 functions, 5 starts of each)"

/* Options of ts: all that federations are told, too. */
#define TC_GP_FAMILY_TS                                                                            \
    "kernel=se,lengthscale=0.03,fit=false,variance=1,noise=0.01,standardize=false,features=128,"   \
    "start=uniform"

/* Options of dp-fts-de: what agents share, and all that the paper prints. */
#define TC_GP_FAMILY_OWN "features=50,lengthscale=0.03"
#define TC_GP_FAMILY_PRINTED                                                                       \
    TC_GP_FAMILY_OWN ",mode=paper,spectrum=drawn,message=draw,releases=all,absorb=point"

/* A cell on the family, paired; an arm with a tc_price in `set` promises it (price.h). With --quick
 * there are at most `quick_agents`. */
tacit_status tc_gp_family_run(const tc_arm_run *c, tc_federated_task t, uint64_t quick_agents,
                              tacit_error *err);

#endif
