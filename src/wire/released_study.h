/* released_study.h - the study of whoever searches released rows: po-gp-ucb over them as candidates.
 *
 * One place for both who run it: a modeler (curator/modeler.c), and a coordinator for curators
 * that send it their rows. Pure. */
#ifndef TC_WIRE_RELEASED_STUDY_H
#define TC_WIRE_RELEASED_STUDY_H

#include "wire/study_doc.h"

struct tc_released; /* released_json.h */

#define TC_RELEASED_ALGORITHM "po-gp-ucb"
enum { TC_RELEASED_TRIALS = 100 }; /* planned, unless said otherwise */

typedef struct tc_released_plan {
    const char *name; /* NULL: that of the release */
    uint64_t trials;  /* questions planned; 0: TC_RELEASED_TRIALS */
    uint64_t seed;
    /* Options of the algorithm, which override what the release says of its noise; NULL: none. */
    const json_t *options;
} tc_released_plan;

/* End with tc_study_doc_free. E_ARG: an option, or rows that cannot be candidates. */
tacit_status tc_released_study(tc_study_doc **out, const struct tc_released *r,
                               const tc_released_plan *p, tacit_error *err);
/* The same from the content of a released.json, which errors call "released". */
tacit_status tc_released_study_from_json(tc_study_doc **out, const json_t *released,
                                         const tc_released_plan *p, tacit_error *err);

#endif
