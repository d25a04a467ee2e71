/* curated.h - the curator of a simulated, outsourced study: docs/outsourcing.md in one process.
 *
 * The curator has the rows of an objective's finite domain. It releases them on public terms and
 * answers questions about them by number, through ledgers of its own, with the objects of a deployment
 * (algo/outsourced/row_curator.h). The modeler's study has the released rows as its space and nothing
 * else; only the curator knows which record is behind a row. Noise is drawn from the seed of the run,
 * so that runs repeat: nothing of it is private (claim.h says what it would be). For source_single.c, and for
 * whoever makes the terms of a simulation. */
#ifndef TC_SIM_CURATED_H
#define TC_SIM_CURATED_H

#include "algo/algorithm.h"
#include "algo/outsourced/row_curator.h"
#include "objective/objective.h"

/* Is it the algorithm of a modeler: one that can be told the noise in rows and answers? */
bool tc_is_modeler(const tc_algorithm *a);

/* Fills rows, dims, columns and maximize of the terms from an objective: bounds are the range of its
 * candidates, which is public where the objective is a built-in function. `unit` counts as a distance
 * of 1 in every column. Names and columns are taken from `memory`. E_ARG: the objective has no finite
 * set of candidates. */
tacit_status tc_curated_terms(tc_row_terms *t, const tc_objective *o, double unit, tc_arena *memory,
                              tacit_error *err);

/* The modeler's options: what a release says of its noise, and then `given` (may be NULL). Caller
 * decrefs. */
tacit_status tc_curated_options(const tc_row_terms *t, const json_t *given, json_t **out,
                                tacit_error *err);

typedef struct tc_curated tc_curated;

/* Releases the rows of the objective. The terms are borrowed until free. E_ARG: they are not about
 * rows like these. */
tacit_status tc_curated_new(tc_curated **out, const tc_row_terms *t, const tc_objective *o,
                            uint64_t seed, tacit_error *err);
void tc_curated_free(tc_curated *c);                       /* NULL is allowed */
const tc_space *tc_curated_space(const tc_curated *c);     /* what the modeler sees */
size_t tc_curated_record(const tc_curated *c, size_t row); /* the candidate behind a released row */
/* *y, the value of this row, becomes the curator's answer. Asked again, it is the first one. */
tacit_status tc_curated_answer(tc_curated *c, size_t row, double *y, tacit_error *err);

#endif
