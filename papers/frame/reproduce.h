/* reproduce.h - runs an experiment: all its cells, in parallel, from where they stopped.
 *
 * Called by the verb and by tests. */
#ifndef TC_PAPERS_REPRODUCE_H
#define TC_PAPERS_REPRODUCE_H

#include "base/memory.h"
#include "papers/frame/experiment.h"

typedef struct tc_reproduce {
    const char *out;  /* a folder, made where it is missing; results are in out/NAME */
    const char *data; /* as in tc_setup */
    uint64_t runs;    /* 0: as many as the experiment has */
    uint64_t seed;
    bool quick;
    tc_pool *pool;
    /* Called from any thread, `done` of all cells; may be NULL. False: E_CANCELLED. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
} tc_reproduce;

/* What all cells together have shown. End with tc_reproduction_fini. */
typedef struct tc_reproduction {
    const tc_experiment *experiment;
    uint64_t runs, seed;
    bool quick;
    size_t n;          /* points */
    double *x;         /* n */
    double *values;    /* arms x runs x n; NaN where there is none */
    double *mean, *se; /* arms x n; over runs */
    uint64_t restored; /* cells that were there before */
    bool anew;         /* runs of other settings were put aside */
    tc_arena memory;
} tc_reproduction;

uint64_t tc_reproduce_runs(const tc_experiment *e, const tc_reproduce *r);
/* Seconds that it will take where nothing is done yet, on the threads of the pool. */
double tc_reproduce_estimate(const tc_experiment *e, const tc_reproduce *r);
/* E_NOT_FOUND: data are missing (one sentence says which). */
tacit_status tc_reproduce_run(const tc_experiment *e, const tc_reproduce *r, tc_reproduction *out,
                              tacit_error *err);
void tc_reproduction_fini(tc_reproduction *r);

/* Values of one arm: runs x n. */
const double *tc_reproduction_arm(const tc_reproduction *r, size_t arm);

#endif
