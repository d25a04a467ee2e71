/* activity.h - activity recognition from phone sensors: logistic regression on 24 subjects.
 *
 * The MotionSense set [Malekzadeh et al. 2019] as windows of 114 features, six activities. A model is
 * multinomial logistic regression by stochastic gradient descent, ten passes, trained on a subject's
 * trials 1 to 9 and judged on 11 to 16; features are standardised by the subject's training part. Its
 * value is the validation error. For the files of papers/. */
#ifndef TC_REPRODUCE_ACTIVITY_H
#define TC_REPRODUCE_ACTIVITY_H

#include "base/pool.h"
#include "base/text.h"

enum { TC_ACTIVITY_SUBJECTS = 24 };

typedef struct tc_activity tc_activity;

/* text: CSV with the columns subject (1 to 24), activity (1 to 6), trial, window and 114 features, in this
 * order. E_ARG names row and column. */
tacit_status tc_activity_new(tc_activity **out, const char *text, size_t len, tacit_error *err);
void tc_activity_free(tc_activity *a); /* NULL is allowed */

/* The validation error of one model; from any thread. */
tacit_status tc_activity_error(const tc_activity *a, size_t subject, double rate, double l2,
                               size_t batch, double *out, tacit_error *err);

/* A grid over learning rate, L2 penalty and batch size: `points` of each, evenly from low to high, in
 * logarithms where `log`. */
typedef struct tc_activity_grid {
    size_t points[3];
    double low[3], high[3];
    bool log;
    tc_pool *pool;               /* may be NULL */
    bool (*proceed)(void *user); /* false: stop with E_CANCELLED; may be NULL */
    void *user;
} tc_activity_grid;

/* The grid as the objective table:FILE, to be minimised, subject n as agent n. */
tacit_status tc_activity_table(const tc_activity *a, const tc_activity_grid *g, tc_text *out,
                               tacit_error *err);

#endif
