/* own_int.h - what the files of own/ share: own.c (life, fits), own_view.c (one residual process), own_mixture.c
 * (three models and their weights), own_ask.c (the next point), own_alone.c (the process by itself),
 * own_recommend.c (the best point that was tried). */
#ifndef TC_ALGO_OWN_OWN_INT_H
#define TC_ALGO_OWN_OWN_INT_H

#include "algo/own/own.h"
#include "algo/single/acquire.h"
#include "base/memory.h"
#include "num/trend.h"

/* The columns of (H, y): one, what was heard, the values. Then, if trials run, those of H over observations and
 * running trials together. */
enum {
    TC_OWN_ONE,
    TC_OWN_TREND,
    TC_OWN_VALUE,
    TC_OWN_COLUMNS,
    TC_OWN_NEAR = TC_OWN_COLUMNS,
    TC_OWN_COLUMNS_ALL = TC_OWN_NEAR + TC_TREND_MOST
};

/* What was heard at the observations, at the taken points, and at the candidates of a finite space; NULL: nothing
 * was. */
typedef struct tc_own_trend {
    const double *observed, *taken, *candidates;
} tc_own_trend;

/* The process g with `ratio` times the variance of the agent's fit, and the columns under its covariance C. */
typedef struct tc_own_view {
    tc_model model;
    double ratio;
    double gram[TC_OWN_COLUMNS][TC_OWN_COLUMNS]; /* column'C^-1 column */
    double log_det;                              /* of C over the noise */
    double near[TC_TREND_MOST][TC_TREND_MOST];   /* gram of H over running trials too */
    double
        diagonal; /* box: what C has on its diagonal beside the kernel and known noise: s2, jitter */
    size_t columns; /* TC_OWN_COLUMNS_ALL if trials run */
    bool believes;  /* in them: tc_own_view_forget is due */
    /* Column c from c * stride on: of a finite space k(x)'C^-1 column at every candidate; of a box
     * C^-1 column, with zeros for points that are taken. */
    double *from;
    size_t stride, from_cap;
    double *target, *solved; /* the columns, and the same after the factor: scratch */
    size_t target_cap, solved_cap;
    double *near_target, *near_solved; /* the same over running trials too */
    size_t near_target_cap, near_solved_cap;
    double *at_taken; /* box: k(x)'C^-1 column at the running trials, column by column */
    size_t at_taken_cap;
    size_t running,
        first_running; /* trials believed in, and the number of the first among the taken points */
} tc_own_view;

/* One of the three. */
typedef struct tc_own_member {
    const tc_own_view *view;
    tc_trend_prior prior;
    tc_trend trend;
    double evidence;           /* ln p(values) */
    double weight, log_weight; /* 0: not in use */
    double best;               /* the largest mean where something is known */
} tc_own_member;

struct tc_own {
    const tc_env *env;
    tc_model_opts opts;
    tc_own_view wide, narrow; /* ratio 1, which fits; ratio rho */
    tc_acquirer acquirer;     /* boxes */
    bool informed;
    tc_heard heard;
    double noise; /* of the next value (tc_model_next_noise) */
    double unit;  /* of what was heard: the anchors' standard deviation over that of all values */
    double *at_candidates; /* finite spaces: what was heard there */
    double *at_observed;   /* what was heard, at the first n_heard observations */
    size_t n_heard, observed_cap;
    double *at_taken; /* what was heard, at the points that are taken now */
    size_t taken_cap;
    tc_own_member member[TC_OWN_MODELS];
    double *block; /* scratch of scores on a box */
    double *slots; /* scratch of gradients: one for each start */
    size_t block_cap, slots_cap, slot_size;
};

/* own_view.c */
tacit_status tc_own_view_init(tc_own_view *v, const tc_env *env, const tc_model_opts *opts,
                              size_t anchors, tacit_error *err);
void tc_own_view_fini(tc_own_view *v);
/* v->model is up to the history: makes the columns, and believes in the trials that run. */
tacit_status tc_own_view_columns(tc_own_view *v, const tc_own_trend *trend, tacit_error *err);
void tc_own_view_forget(tc_own_view *v); /* the trials that run; after a failed sync, too */
/* k(x)'C^-1 column at the point of observation i. */
double tc_own_view_observed(const tc_own_view *v, int column, size_t i);
/* The same at the point of running trial i, of v->running. */
double tc_own_view_running(const tc_own_view *v, int column, size_t i);

/* own.c: both views are up to the history, with their columns. */
tacit_status tc_own_sync(tc_own *o, tacit_error *err);

/* own_mixture.c: the views are up to the history; sets the members, their weights and incumbents. */
void tc_own_mix(tc_own *o);
/* The posterior of a member's trend where no trials run. */
tc_trend tc_own_trend_alone(const tc_own_member *m);
/* The trend of a member at a point of the space; `from` is in the order of the columns. */
tc_trend_point tc_own_point(const tc_own_member *m, const double *from, double heard,
                            double variance);

/* own_ask.c: ln of the expected improvement at points of a box (tc_acquisition); ctx: the tc_own. */
tacit_status tc_own_score_many(void *ctx, size_t m, const double *X, size_t ldx, double *out,
                               tacit_error *err);
double tc_own_score(void *ctx, size_t slot, const double *x, double *grad);

#endif
