/* family_int.h - what one family is made of; for the files of this folder only. */
#ifndef TC_OBJECTIVE_FAMILY_INT_H
#define TC_OBJECTIVE_FAMILY_INT_H

#include "objective/family.h"
#include "objective/objective_int.h"

struct tc_family {
    size_t agents;
    tc_space *space;
    bool maximize;
    tc_observation_noise noise;
    double noise_scale;
    /* Finite: agent n has the column own x n of `values` (length: the domain's) and of `optima`. */
    const double *values;
    double *optima;
    size_t own;            /* 1: a column for each agent, 0: one for all */
    tc_value_table *table; /* table:FILE.csv only */
    /* Shifted: one objective for all, which has agent 0's shift; NULL: finite. */
    tc_objective *base;
    double *shifts; /* dim of the objective for each agent; NULL: all as the base */
    tc_arena memory;
};

/* Steps of TC_FOR_OBJECTIVE: an agent's own one. Smaller ones belong to what agents share. */
#define TC_FAMILY_STEP(agent) ((uint64_t)(agent) + 16)

/* Columns x points of a family that is kept as a table: 2 GiB of doubles. */
#define TC_FAMILY_CELLS ((size_t)1 << 28)

/* Each fills f, whose agents, noise and noise_scale are set; on failure tc_family_free ends it.
 * `o` has the family's own values already where the options left them open. */
tacit_status tc_family_gp(tc_family *f, const tc_family_opts *o, const tc_public_seed *seed,
                          tacit_error *err);
tacit_status tc_family_shifted(tc_family *f, const char *name, const tc_family_opts *o,
                               const tc_public_seed *seed, tacit_error *err);
tacit_status tc_family_table(tc_family *f, const char *name, const tc_family_opts *o,
                             tacit_error *err);

/* family.c. The best value of each of `columns` columns of f->values. */
tacit_status tc_family_find_optima(tc_family *f, size_t columns, tacit_error *err);

#endif
