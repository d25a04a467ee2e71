/* mine_similarity.c - do the 29 landmine fields resemble each other? What a federation could gain at all.
 *
 * No figure of a paper: the question behind three of them. The mean correlation of two fields' surfaces
 * of AUC, and the regret in AUC of one query: at the best machine of all other fields together, and at a
 * uniform one. Nothing is drawn: one run. */
#include "base/error.h"
#include "papers/experiments/mine_grids.h"
#include "papers/data/similarity.h"

static const char *const names[] = {"correlation", "others' best", "uniform"};

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    tc_similarity s;
    TC_TRY(tc_similarity_of(tc_mine_grid(c), NULL, TC_LANDMINE_FIELDS, &s, err));
    c->y[0] = s.correlation;
    c->y[1] = s.others;
    c->y[2] = s.random;
    return TACIT_OK;
}

#define LINE "29 fields"
static const tc_arm arms[] = {{"linear", LINE, TC_ARM_PAPER}, {"log", LINE, TC_ARM_DEFAULT}};

const tc_experiment tc_experiment_mine_similarity = {
    .name = "similarity-landmine",
    .paper = "fts, dp-fts-de, pf-pne",
    .figure = "the landmine figures",
    .claim = "the fields are similar enough to learn from each other",
    .setting = "surfaces of AUC over gamma and C: linear axes (paper mode), log axes (default)",
    .stand_in = TC_MINE_STAND_IN,
    .version = 1,
    .runs = 1,
    .quick_runs = 1,
    .seconds = 0.5,
    .quick_seconds = 0.5,
    TC_MINE_DATA,
    TC_ARMS(arms),
    .x = {.label = "of two fields", .n = 3, .names = names},
    .y_label = "correlation, regret in AUC",
    .run = run,
};
