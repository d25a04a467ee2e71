/* experiment.h - what an experiment of a paper is: a row of facts and one function.
 *
 * An experiment has arms (the lines of a figure), each an algorithm or a way to run it, and points x
 * along one axis. A cell is one arm in one run: the function yields its values at all points. Cells are
 * independent and run in parallel; a cell is a function of (seed, run, arm) and of the data alone (only
 * experiments/fts_fig3.c asks a clock), so results depend neither on threads nor on being interrupted. Runs of all arms with one number have
 * one seed: they are paired.
 *
 * To add one: a file in experiments/ that ends in a tc_experiment, and its line in registry.c. Everything
 * else is the frame's: runs and their file (journal.h), moments, tables and verdicts (report.h), data
 * and cached grids (dataset.h). drive.h runs the simulations of sim/ as cells. */
#ifndef TC_PAPERS_EXPERIMENT_H
#define TC_PAPERS_EXPERIMENT_H

#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In which column of the table an arm stands: "paper | tacit (paper mode) | tacit (default)". */
typedef enum tc_arm_mode {
    TC_ARM_PAPER,   /* as published */
    TC_ARM_DEFAULT, /* as tacit does it unless told otherwise */
    TC_ARM_BOTH     /* there is one way only */
} tc_arm_mode;

typedef struct tc_arm {
    const char *name; /* in files and statements: "fts-100" */
    const char *line; /* in figures and tables; the two modes of one thing share it */
    tc_arm_mode mode;
    /* For drive.h; NULL and 0 where the function does not use it. */
    const char *algorithm;
    const char *options;   /* "features=100,initial=1" */
    double epsilon, delta; /* promised: the algorithm's noise follows */
    const void *set;       /* more, of the experiment's own; no part of a run's key: see version */
} tc_arm;

/* The points of the axis: categories, or listed, or in equal steps. */
typedef struct tc_points {
    const char *label;
    size_t n;
    const char *const *names; /* n of them, at 0, 1, ...; or NULL */
    const double *at;         /* n of them; or NULL: step, 2 step, ... */
    double step, quick_step;  /* quick_step 0: the same */
    bool from_zero;           /* steps begin with 0 */
    bool log;                 /* how the axis is drawn */
} tc_points;

/* A number that the paper prints. */
typedef struct tc_printed {
    const char *line;
    size_t at; /* which point */
    double value;
    double tolerance; /* half a unit of its last digit */
} tc_printed;

typedef enum tc_relation {
    TC_BELOW,    /* what `a` says is less than what `b` does */
    TC_LEVEL,    /* they differ by less than a quarter */
    TC_NO_WORSE, /* `a` is not above `b` by a quarter */
    TC_SAME      /* they are equal in every run */
} tc_relation;

/* What the paper says, as something that runs can show. */
typedef struct tc_statement {
    const char *text;
    tc_relation relation;
    struct {
        const char *arm;
        size_t at; /* which point */
    } a, b;
} tc_statement;

/* What the frame hands to prepare. */
typedef struct tc_setup {
    const char *out;  /* an existing folder; cached grids are kept in out/cache */
    const char *data; /* the folder of data sets; NULL: none is given */
    bool quick;
    tc_pool *pool;
    bool (*proceed)(void *user); /* false: stop with E_CANCELLED. NULL: always on */
    void *user;
} tc_setup;

typedef struct tc_arm_run {
    const tc_arm *arm;
    uint64_t run;
    uint64_t seed; /* of this run, the same for every arm */
    bool quick;
    const void *prepared; /* what prepare made; NULL */
    size_t n;
    const double *x; /* n points */
    double *y;       /* n values, to be filled; not finite: there is none */
    bool (*proceed)(void *user);
    void *user;
} tc_arm_run;

typedef struct tc_experiment {
    const char *name;     /* "fts-fig1a" */
    const char *paper;    /* "fts": the algorithm's name */
    const char *figure;   /* "Fig. 1a" */
    const char *claim;    /* what the paper says, in one line */
    const char *setting;  /* sizes, noise, epsilon: under the title of the figure */
    const char *stand_in; /* what is not as in the paper; NULL: nothing that is known */
    unsigned version;     /* a change of what a cell yields, as of a `set`, is another version */
    const char *data;     /* folder under the data folder; NULL: none is needed */
    const char *const *files; /* in it, NULL-terminated; "x.csv" may also be there as x.csv.gz */
    uint64_t runs, quick_runs;
    double seconds, quick_seconds; /* of one run of all arms on one core, about */
    double prepare_seconds;        /* of prepare, about, where nothing is cached */
    const tc_arm *arms;
    size_t n_arms;
    tc_points x;
    const char *y_label;
    bool y_log;
    const size_t *shown; /* points of the table; NULL: all */
    size_t n_shown;
    /* Made once before the cells; NULL: nothing is. *out is ended by finish. */
    tacit_status (*prepare)(const tc_setup *s, void **out, tacit_error *err);
    void (*finish)(void *prepared);
    tacit_status (*run)(const tc_arm_run *c, tacit_error *err);
    const tc_printed *printed;      /* ends with a NULL line; may be NULL */
    const tc_statement *statements; /* ends with a NULL text; may be NULL */
} tc_experiment;

/* Members of a tc_experiment from an array. */
#define TC_ARMS(list)  .arms = (list), .n_arms = sizeof(list) / sizeof *(list)
#define TC_SHOWN(list) .shown = (list), .n_shown = sizeof(list) / sizeof *(list)

/* registry.c: every experiment, one line each. */
const tc_experiment *const *tc_experiments(void); /* NULL-terminated */
/* E_ARG with the nearest name. */
tacit_status tc_experiment_get(const tc_experiment **out, const char *name, tacit_error *err);

double tc_points_at(const tc_points *p, bool quick, size_t i);
/* NULL: the experiment has no such arm. */
const tc_arm *tc_arm_find(const tc_experiment *e, const char *name);

#endif
