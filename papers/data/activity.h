/* activity.h - activity recognition from phone sensors: logistic regression on 24 subjects.
 *
 * The MotionSense set [Malekzadeh et al. 2019] as windows of 114 features, six activities. A model is
 * multinomial logistic regression by stochastic gradient descent, ten passes, trained on a subject's
 * trials 1 to 9 and judged on 11 to 16; features are standardised by the training part. Its
 * value is the validation error. For more agents than subjects, the windows of each are dealt out to
 * `parts` agents, in turn and in the order of the file, those to train and those to judge on each for
 * themselves: agents share no window. For the files of experiments/. */
#ifndef TC_PAPERS_ACTIVITY_H
#define TC_PAPERS_ACTIVITY_H

#include "papers/data/model_grid.h"

enum { TC_ACTIVITY_SUBJECTS = 24 };

typedef struct tc_activity tc_activity;

/* text: CSV with the columns subject (1 to 24), activity (1 to 6), trial, window and 114 features, in this
 * order. Agent p * 24 + s is part p of subject s. E_ARG names row and column. */
tacit_status tc_activity_new(tc_activity **out, const char *text, size_t len, size_t parts,
                             tacit_error *err);
void tc_activity_free(tc_activity *a); /* NULL is allowed */

/* The validation error of one model; from any thread. */
tacit_status tc_activity_error(const tc_activity *a, size_t agent, double rate, double l2,
                               size_t batch, double *out, tacit_error *err);

/* The rest of a grid over learning rate, L2 penalty and batch size. */
void tc_activity_fill(const tc_activity *a, tc_model_grid *g);

#endif
