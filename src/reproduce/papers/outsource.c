/* outsource.c - a release and questions about it. See outsource.h. */
#include "reproduce/papers/outsource.h"

#include "base/error.h"
#include "base/memory.h"
#include "objective/objective.h"
#include "sim/curated.h"

/* Rows, columns and bounds from the objective's candidates. */
static tacit_status take_columns(const tc_outsource_task *t, tc_row_terms *terms, tc_arena *memory,
                                 tacit_error *err)
{
    tc_objective_opts opts = {0};
    tc_objective *o = NULL;
    tacit_status status = tc_words_read(tc_objective_options, &opts, t->objective, t->words, err);
    if (status == TACIT_OK)
        status = tc_objective_new(&o, t->objective, &opts, tc_public_seed_from(1), err);
    if (status == TACIT_OK)
        status = tc_curated_terms(terms, o, t->unit, memory, err);
    tc_objective_free(o);
    tc_options_fini(tc_objective_options, &opts);
    return status;
}

tacit_status tc_outsource(const tc_arm_run *c, const tc_outsource_task *t, double *curve,
                          tacit_error *err)
{
    bool paper = c->arm->mode == TC_ARM_PAPER, released = t->epsilon > 0;
    tc_arena memory = {0};
    tc_row_terms terms = {.name = "rows",
                          .mode = paper ? TC_ROW_PAPER : TC_ROW_SOUND,
                          .epsilon = t->epsilon,
                          .delta = paper ? t->delta : 0,
                          .radius = 1,
                          .rank = paper ? t->rank : 0};
    tc_single_task task = {.objective = t->objective,
                           .words = t->words,
                           .options = t->options,
                           .curated = released ? &terms : NULL,
                           .trials = t->questions};
    tacit_status status = released ? take_columns(t, &terms, &memory, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = tc_drive_single(c, &task, curve, err);
    tc_arena_fini(&memory);
    return status;
}
