/* model_grid.h - a grid of models over three hyper-parameters, each trained for each of many agents.
 *
 * The models of all agents at all points, as the text of the objective table:FILE: expensive once, then
 * many runs are cheap. For activity.c and digits.c. */
#ifndef TC_PAPERS_MODEL_GRID_H
#define TC_PAPERS_MODEL_GRID_H

#include "base/pool.h"
#include "base/text.h"

enum { TC_MODEL_AXES = 3 };

/* `points` (two or more) of each axis, evenly from low to high, in logarithms where `log`. */
typedef struct tc_model_grid {
    const char *names[TC_MODEL_AXES];
    size_t points[TC_MODEL_AXES];
    double low[TC_MODEL_AXES], high[TC_MODEL_AXES];
    bool log;
    size_t agents;
    /* The error of one model; from any thread. x: one value of each axis, plain. */
    tacit_status (*error)(const void *data, size_t agent, const double *x, double *out,
                          tacit_error *err);
    const void *data;
    tc_pool *pool;               /* may be NULL */
    bool (*proceed)(void *user); /* false: stop with E_CANCELLED; may be NULL */
    void *user;
} tc_model_grid;

/* Adds which models they are: part of the key of a cached table. */
void tc_model_grid_key(const tc_model_grid *g, tc_text *out);
/* To be minimised, agent n in the column value_n, from 1. */
tacit_status tc_model_grid_table(const tc_model_grid *g, tc_text *out, tacit_error *err);

#endif
