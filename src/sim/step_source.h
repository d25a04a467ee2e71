/* step_source.h - one run of a simulation of one kind, for simulation.c and the files source_*.c.
 * Nobody else includes it. */
#ifndef TC_SIM_STEP_SOURCE_H
#define TC_SIM_STEP_SOURCE_H

#include "sim/runs.h"
#include "sim/simulation.h"

/* How long a run is. */
typedef struct tc_run_shape {
    uint64_t agents;  /* that are measured */
    uint64_t given;   /* trials of each agent that exist before */
    uint64_t initial; /* trials of each agent at point 0, or before it */
    uint64_t first;   /* the number of the first point: 0 or 1 */
    uint64_t steps;   /* that progress counts */
    size_t points;
} tc_run_shape;

typedef struct tc_runs tc_runs; /* all of them: simulation.c */

/* One run while it lasts. */
typedef struct tc_run {
    tc_runs *all;
    const tc_simulation *sim;
    const tc_run_shape *shape;
    const char *identity; /* everything that determines a run of this simulation, as text */
    tacit_hash study;     /* of that */
    uint64_t number;
    tc_run_seeds seeds;
    tc_pool *inner; /* lent to the agents: only where there is a single run to do */
    uint64_t steps; /* that are counted */
    uint64_t pulls; /* that were made here, not in a process before */
    /* What it finds. The places in the result: `points` numbers, or agents x points, or NULL. */
    double *simple, *cumulative, *agent_simple, *agent_cumulative;
    tacit_run_counts counts;
    tacit_simulated_release *releases; /* end with tc_free */
    size_t n_releases;
    char *rejection; /* or NULL; a checkpoint does not keep it. End with tc_free */
} tc_run;

struct tc_step_source {
    /* Checks everything of the plan that this kind looks at. */
    tacit_status (*shape)(const tc_simulation *sim, tc_run_shape *out, tacit_error *err);
    size_t size; /* of its state: zeroed before open, closed also after a failure */
    tacit_status (*open)(void *state, tc_run *r, tacit_error *err);
    /* Trial t of every agent is made, or was given: its regret, by agent. */
    tacit_status (*step)(void *state, tc_run *r, uint64_t t, double *regret, tacit_error *err);
    tacit_status (*end)(void *state, tc_run *r, tacit_error *err); /* counts; may be NULL */
    void (*close)(void *state);
    /* In place of all these, a kind that makes its own curve: bandits by pulls, of which a run may have a billion, and where
     * a call and a number for each pull and agent would cost more than the pull. */
    tacit_status (*whole)(tc_run *r, tacit_error *err);
    /* The run is kept in the checkpoint: what else was kept of it may go. May be NULL. */
    void (*kept)(const tc_run *r);
};

/* The run has made so many steps. E_CANCELLED: it shall end. */
tacit_status tc_run_count(tc_run *r, uint64_t steps, tacit_error *err);
/* Somebody says so, or another run has failed. */
bool tc_run_stopped(tc_run *r);

/* identity.c. Not the number of runs or threads: a simulation may be extended, on another machine. */
tacit_status tc_simulation_identity(const tc_simulation *sim, const tc_run_shape *shape,
                                    tc_text *out, tacit_error *err);

/* record.c: the words of a checkpoint. *out ends with tc_free. */
tacit_status tc_run_words(const tc_run *r, uint64_t **out, size_t *n, tacit_error *err);
/* Into the places of *r. E_CORRUPT: not the words of a run of this shape. */
tacit_status tc_run_read(tc_run *r, const uint64_t *words, size_t n, tacit_error *err);

#endif
