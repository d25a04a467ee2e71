/* trial_rows.h - trials on standard output, alike in every verb.
 *
 * For people: trial, state, value, the parameters, and the reason where some
 * failed, and the pulls where some are batches. CSV has Optuna's columns: number, state, value, params_x, ...,
 * datetime_start, datetime_complete, worker, reason. JSON has the same fields
 * with the parameters as an object "params". */
#ifndef TC_PROGRAM_TRIAL_ROWS_H
#define TC_PROGRAM_TRIAL_ROWS_H

#include "algo/optimizer.h"
#include "frame/cli.h"

/* A list: JSON is an array. */
tacit_status tc_trials_print(const tc_space *space, const tc_trial *const *trials, size_t n,
                             int format, FILE *out, tacit_error *err);
/* One: JSON is an object. */
tacit_status tc_trial_print(const tc_space *space, const tc_trial *trial, int format, FILE *out,
                            tacit_error *err);
/* Trials just asked for: their numbers and parameters only. JSON of one is
 * {"trial": 3, "params": {...}}, of several an array of such. Where batches were asked for, each also
 * says its pulls. */
typedef struct tc_asked {
    size_t n;
    uint64_t *numbers;
    uint64_t *pulls; /* NULL: one each */
    double *values;  /* n x n_params */
} tc_asked;
tacit_status tc_asked_print(const tc_space *space, const tc_asked *asked, int format, FILE *out,
                            tacit_error *err);

#endif
