/* curves.h - what a simulation has found: regret by run and point, and counters of every run.
 *
 * The one type for all kinds of simulations and for what is read back from files (curve_file.h). A file
 * has means alone, or the curves of agents alone: what it does not have is NULL. Everything of every run
 * is there in the result of tc_simulate. */
#ifndef TC_SIM_CURVES_H
#define TC_SIM_CURVES_H

#include "sim/federation.h"

/* What one run sent; zeros where nothing of the kind is sent. All members are uint64_t: a checkpoint
 * keeps them as words. */
typedef struct tc_run_counts {
    tc_federation_tally sent;          /* of a federation */
    uint64_t rounds, last_round_at;    /* of bandits; pulls of each agent at the last round */
    uint64_t numbers_up, numbers_down; /* of bandits: by all agents, and to all of them */
} tc_run_counts;

/* Arrays of `points` numbers, and tables of runs x points, run by run. */
typedef struct tc_curves {
    char *label; /* in a file; NULL: it has none */
    char *algorithm, *objective;
    uint64_t runs, agents, seed; /* agents: those that are measured */
    uint64_t initial;            /* trials of each agent at point 0 of a federation */
    bool by_pulls;               /* points are pulls of each agent, and there is no simple regret */
    size_t points;
    double *at;                      /* trial or iteration, or pulls of each agent */
    double *simple_mean, *simple_se; /* se: standard error; 0 for one run, or no finite mean */
    double *cumulative_mean, *cumulative_se;
    double *simple, *cumulative; /* runs x points: means over agents, for pairing and plots */
    double *agent_simple, *agent_cumulative; /* runs x agents x points; NULL unless asked for */
    tc_run_counts *counts;                   /* by run */
    tc_federation_release *releases;         /* of the first run: every run has the same */
    size_t n_releases;
    char *
        rejection; /* of the first run: why the first refused message was; NULL: none, or restored */
    bool relayed;  /* messages were handed on without any protection: NOT PRIVATE at all */
    uint64_t pulls; /* of all agents and runs, less those that were done before */
    double seconds;
} tc_curves;

/* Zeroed arrays for `runs`, `agents` and `points` of c; by_agent: those of agents too. */
tacit_status tc_curves_allocate(tc_curves *c, bool by_agent, tacit_error *err);
/* Means and standard errors of the runs. */
void tc_curves_average(tc_curves *c);
void tc_curves_fini(tc_curves *c);

#endif
