/* import.h - earlier results on their way into a study: what import_rows.c and import_json.c share. */
#ifndef TC_PROGRAM_IMPORT_H
#define TC_PROGRAM_IMPORT_H

#include "frame/point.h"
#include "study/outcome_words.h"

/* All-zero may be ended. */
typedef struct tc_import {
    tc_point point; /* that of the present row */
    tc_outcome_words outcomes;
    double *values, *y; /* rows read so far; of y all outcomes of each */
    size_t n, skipped, values_cap, y_cap;
} tc_import;

/* Keeps the present point, which is whole, and its outcomes, m->outcomes.n of them. */
tacit_status tc_import_keep(tc_import *m, const double *outcomes, tacit_error *err);

/* import_json.c: an array of trials, or one on each line, as tacit export writes them. */
tacit_status tc_import_json(tc_import *m, const char *text, size_t len, const char *file,
                            tacit_error *err);
tacit_status tc_import_json_lines(tc_import *m, const char *text, size_t len, const char *file,
                                  tacit_error *err);

#endif
