/* trial_rows.h - trials on standard output, alike in every verb.
 *
 * For people: trial, state, value, the parameters, and the reason where some
 * failed, and the pulls where some are batches; several outcomes by name, and whether they are feasible. CSV has Optuna's columns: number, state, value, params_x, ...,
 * datetime_start, datetime_complete, worker, reason. JSON has the same fields
 * with the parameters as an object "params". */
#ifndef TC_PROGRAM_TRIAL_ROWS_H
#define TC_PROGRAM_TRIAL_ROWS_H

#include "frame/cli.h"

#include <jansson.h>
#include <tacit/study.h>

/* Several outcomes are columns of this prefix in CSV. */
#define TC_OUTCOME_COLUMN "outcomes_"

/* A list: JSON is an array. */
tacit_status tc_trials_print(const tacit_document *doc, const tacit_trials *trials, int format,
                             FILE *out, tacit_error *err);
/* One trial: JSON is an object. */
tacit_status tc_trial_print(const tacit_document *doc, const tacit_trial *trial, int format,
                            FILE *out, tacit_error *err);
/* A recommendation: its trial, by the model with mean and sd; why is noted on standard error, unless quiet. JSON is an
 * object, and says it. */
tacit_status tc_recommendation_print(const tacit_document *doc, const tacit_recommendation *r,
                                     int format, bool quiet, FILE *out, tacit_error *err);
/* The same of the best trial of a study. E_STATE: it is shown, and it is not feasible. */
tacit_status tc_best_found_print(tacit_study *s, const tacit_recommendation *r,
                                 const tc_invocation *in, tacit_error *err);
/* The front of several objectives; with a reference for each of them (or NULL) its hypervolume, which JSON, an object here, has
 * as a member, and others note on standard error. E_STATE: it is empty. */
tacit_status tc_front_print(tacit_study *s, const double *reference, const tc_invocation *in,
                            tacit_error *err);
/* What `tacit best` shows, at the end of a run. E_STATE: no trial has succeeded. */
tacit_status tc_best_print(tacit_study *s, const tc_invocation *in, tacit_error *err);
/* Trials just asked for: their numbers and parameters only. JSON of one is
 * {"trial": 3, "params": {...}}, of several an array of such. pulls: batches were asked for, and each also
 * says its pulls. */
tacit_status tc_asked_print(const tacit_space *space, const tacit_trials *asked, bool pulls,
                            int format, FILE *out, tacit_error *err);

/* "lr=0.1, layers=3", for a line of text; cut at size. */
void tc_params_text(const tacit_space *space, const double *values, char *out, size_t size);

/* The winner of a search: its value and its parameters; values NULL: nothing. JSON has both as members of `more`, which is
 * given up; NULL is E_MEMORY. */
tacit_status tc_winner_print(const tacit_space *space, const double *values, double value,
                             json_t *more, int format, FILE *out, tacit_error *err);

#endif
