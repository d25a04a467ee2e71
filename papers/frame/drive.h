/* drive.h - the simulations of sim/ as cells: one run each, with the seed of the cell.
 *
 * The arm says which algorithm, with which options and what it promises; the rest is the experiment's
 * task. Options are words "name=value,name=value" of the algorithm's own table, or of the objective's
 * (objective.h, family.h). For the files of experiments/. */
#ifndef TC_PAPERS_DRIVE_H
#define TC_PAPERS_DRIVE_H

#include "algo/outsourced/row_curator.h"
#include "base/options.h"
#include "privacy/mechanism.h"
#include "papers/frame/experiment.h"

/* Fills the struct of a table: defaults, then the words (may be NULL). End with tc_options_fini, also
 * after a failure. `what` names the table in errors. */
tacit_status tc_words_read(const tc_option *table, void *opts, const char *what, const char *words,
                           tacit_error *err);

/* Words in front of those of every arm with this algorithm, NULL for most: defaults that the experiments were
 * designed with, and that have changed since. They are no part of a run's key. */
const char *tc_arm_base(const char *algorithm);

/* A federation in lockstep (sim/simulation.h). Points are iterations 0, 1, 2, ... */
typedef struct tc_federated_task {
    const char *objective, *words; /* as for tc_family_new, and words of tc_family_options */
    uint64_t agents;
    uint64_t past;    /* trials of the earlier studies that messages of a relay tell of */
    uint64_t initial; /* points before iteration 0; 0: as the algorithm's options say */
    /* Regret is the mean of the first so many agents; 0: of all. Where the others are wanted for
     * messages of the past alone, or for nothing, they do not act. */
    uint64_t targets;
    /* As in sim/federation.h: where TS starts with uniform points, with those of fts, and of dp-fts-de without
     * regions. */
    bool paired;
    bool cumulative; /* which regret */
} tc_federated_task;
tacit_status tc_drive_federated(const tc_arm_run *c, const tc_federated_task *t, tacit_error *err);
/* Both regrets of all agents at iterations 0 to `rounds`, whatever the points are. */
tacit_status tc_drive_federated_curves(const tc_arm_run *c, const tc_federated_task *t,
                                       uint64_t rounds, double *simple, double *cumulative,
                                       tacit_error *err);
/* The simple regret of the targets at iterations 0 to `rounds`, and the seconds of processor time that
 * one of them has computed since iteration 0: of the clock, so not the same again. E_ARG: others act, too,
 * or there are no initial points. */
tacit_status tc_drive_federated_timed(const tc_arm_run *c, const tc_federated_task *t,
                                      uint64_t rounds, double *simple, double *seconds,
                                      tacit_error *err);

/* One party (sim/simulation.h). */
typedef struct tc_single_task {
    const char *objective, *words; /* and words of tc_objective_options */
    const tc_reply *reply;         /* as in tc_simulation; both may be NULL */
    const tc_row_terms *curated;
    const char *options; /* of the algorithm, behind those of the arm; may be NULL */
    uint64_t trials;
    bool cumulative;
} tc_single_task;
/* curve: regret after each of t->trials trials. */
tacit_status tc_drive_single(const tc_arm_run *c, const tc_single_task *t, double *curve,
                             tacit_error *err);
/* The same for points that are numbers of trials, the last of them all. */
tacit_status tc_drive_single_points(const tc_arm_run *c, const tc_single_task *t, tacit_error *err);

/* Bandits by pulls (sim/simulation.h): cumulative regret, or what has been sent. Points are numbers of pulls, evenly spaced;
 * the last is the budget. */
typedef struct tc_bandit_task {
    const char *objective, *words; /* and words of tc_family_options */
    uint64_t clients;
    double low, high; /* the range of values that becomes [0,1] */
    double noise;     /* half width of uniform noise, in rewards */
    bool sent;        /* in place of regret: numbers sent to and fro, the mean over clients */
} tc_bandit_task;
tacit_status tc_drive_pulls(const tc_arm_run *c, const tc_bandit_task *t, tacit_error *err);

#endif
