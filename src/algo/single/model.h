/* model.h - the Gaussian-process model that ts, gp-ucb and gp-ei share.
 *
 * Follows the history of its party: standardises the values, keeps the factor
 * by append, says when the hyper-parameters want a fit and turns a fit into the
 * JSON of a FIT event and back. On a finite space it keeps the posterior of all
 * candidates (num/fgp.h), on a box the exact GP (num/gp.h).
 *
 * Where values carry noise on purpose (tc_history.noise), its variance stands on the diagonal beside the fitted
 * one, and the unit of values is the standard deviation of what is left of them without it.
 *
 * The bits are a function of the journal: a FIT event says on how many
 * observations it stands; those are factored at once, later ones are appended
 * one by one, in the life of a process as in a replay. */
#ifndef TC_ALGO_SINGLE_MODEL_H
#define TC_ALGO_SINGLE_MODEL_H

#include "algo/algorithm.h"
#include "algo/single/design.h"
#include "num/fgp.h"
#include "num/gp.h"
#include "num/gp_fit.h"

enum { TC_REPEAT_AUTO, TC_REPEAT_YES, TC_REPEAT_NO };

typedef struct tc_model_opts {
    int kernel;
    bool ard, fit, standardize;
    double lengthscale, variance, noise;
    int64_t init, refit;
    int repeat;
} tc_model_opts;

/* After the kernels of num/kernel.h: the candidates' coordinates are their covariances (given.h). Only
 * for models of candidates; variance is a factor of the matrix, and nothing is learned. */
enum { TC_MODEL_GIVEN = TC_KERNEL_KINDS };
#define TC_MODEL_KERNELS TC_KERNEL_CHOICES "|given"

/* Rows of an options table for a struct whose field `m` is a tc_model_opts; kernels: its choices. */
#define TC_MODEL_OPTIONS(S, m, kernels, kernel_help)                                               \
    TC_CHOICE_OPTION("kernel", offsetof(S, m.kernel), "matern52", kernels, kernel_help),           \
        TC_BOOL_OPTION("ard", offsetof(S, m.ard), "true",                                          \
                       "one length-scale per coordinate instead of one for all"),                  \
        TC_BOOL_OPTION("fit", offsetof(S, m.fit), "true",                                          \
                       "learn the hyper-parameters; false keeps those given"),                     \
        TC_INT_OPTION("refit", offsetof(S, m.refit), "0", 0, 1e6,                                  \
                      "observations between fits; 0 spaces them with the number seen"),            \
        TC_FLOAT_OPTION("lengthscale", offsetof(S, m.lengthscale), "0.3", 1e-4, 1e4,               \
                        "length-scale in units of the range: fixed, or where fits start"),         \
        TC_FLOAT_OPTION("variance", offsetof(S, m.variance), "1", 0, 1e12,                         \
                        "signal variance: fixed, or where fits start", .min_open = true),          \
        TC_FLOAT_OPTION("noise", offsetof(S, m.noise), "0.0001", 0, 1e12,                          \
                        "noise variance: fixed, or where fits start", .min_open = true),           \
        TC_BOOL_OPTION("standardize", offsetof(S, m.standardize), "true",                          \
                       "model the values less their mean, over their standard deviation"),         \
        TC_INT_OPTION("init", offsetof(S, m.init), "0", 0, 1e6,                                    \
                      "Sobol' points before the model is used; 0 chooses by dimension"),           \
        TC_CHOICE_OPTION("repeat", offsetof(S, m.repeat), "auto", "auto|yes|no",                   \
                         "may a point be asked twice? auto: only on finite domains")

/* The noise is at least this part of the variance, or a point observed twice has no pivot. */
#define TC_MODEL_LEAST_NOISE 1e-12

/* Which observations stand in which row of a finite domain's factor (model_rows.c). */
typedef struct tc_model_rows {
    size_t n;             /* rows that stand for observations */
    size_t distinct;      /* candidates observed */
    size_t *of;           /* row of each observation */
    size_t *at;           /* candidate of each row */
    size_t *first;        /* of each candidate: 1 + its row after a merge; 0: not observed */
    double *count, *mean; /* of each row: observations, each by its weight; target */
    size_t of_cap, at_cap, count_cap, mean_cap;
} tc_model_rows;

typedef struct tc_model {
    const tc_env *env;
    const tc_model_opts *opts;
    size_t
        anchors; /* of an agent: its first so many values lie all over the space; 0: it is none */
    tc_design design;
    tc_gp *gp;   /* exact GP at the observed points; or ... */
    tc_fgp *fgp; /* ... the posterior of all candidates; one of the two */
    double
        bound; /* values below it must stay below it, however far off they are; INFINITY: there is none */
    tc_gp_hyper hyper; /* in force: of the last fit, or as given */
    double *scale;     /* dim: hyper.scale */
    size_t fit_n;      /* observations under the last fit; 0: none yet */
    bool fresh;        /* hyper is newer than the factor */
    size_t n;          /* observations in the factor */
    double mean, sd;   /* of y: z = (y - mean) / sd */
    double *z;         /* standardised targets, fantasies after them */
    double *known; /* noisy: variance of noise of each in these units; of fantasies after them */
    size_t z_cap, known_cap;
    bool noisy;            /* some value carries noise on purpose */
    double *x;             /* dim: scratch */
    unsigned char *closed; /* finite: one flag per candidate, see tc_model_close */
    tc_model_rows rows;    /* of fgp */
} tc_model;

/* model_rows.c, for model.c: the rows of m->fgp follow the history. */
tacit_status tc_model_rows_init(tc_model *m, tacit_error *err);
void tc_model_rows_fini(tc_model *m);
/* Begins again with the hyper-parameters in force, perhaps with the first n observations at once; sets m->n. */
tacit_status tc_model_rows_restart(tc_model *m, size_t n, tacit_error *err);
tacit_status tc_model_rows_observe(tc_model *m, size_t i, tacit_error *err);
/* z: one for each of the first n observations, which are all that the rows stand for. */
void tc_model_rows_targets(tc_model *m, size_t n, const double *z);

/* candidates: keep the posterior of every candidate of a finite space. */
tacit_status tc_model_init(tc_model *m, const tc_env *env, const tc_model_opts *opts,
                           bool candidates, tacit_error *err);
void tc_model_fini(tc_model *m);

/* This model has the hyper-parameters of another one over the same history, with `ratio` times its variance. It must
 * not fit by itself. Comes before sync. */
void tc_model_follow(tc_model *m, const tc_model *leader, double ratio);

/* False while points should come from m->design: too little is known for a model. */
bool tc_model_ready(const tc_model *m);

/* Brings the factor and targets up to the history. */
tacit_status tc_model_sync(tc_model *m, tacit_error *err);
/* Only m->mean, m->sd and m->z: by all values, as sync does; or by the anchors, if there are any, until the next sync. */
tacit_status tc_model_standardise(tc_model *m, tacit_error *err);
tacit_status tc_model_standardise_by_anchors(tc_model *m, tacit_error *err);
/* The variance of the noise that observation i carries on purpose, in the units of the last standardisation. */
static inline double tc_model_noise(const tc_model *m, size_t i)
{
    return m->noisy ? m->known[i] : 0;
}
/* The variance of the noise that the next value will have, in the same units; 0 unless noise is known. */
double tc_model_next_noise(const tc_model *m);
/* How many anchors there are; 0 while one is missing, and if they are all the same: then there is no scale in them. */
size_t tc_model_anchors(const tc_model *m);
/* After sync: pretends that every taken point (the last 128 of them) came back with its
 * predicted mean, so that the variance falls there and parallel asks spread; forget undoes it. */
tacit_status tc_model_believe(tc_model *m, tacit_error *err);
void tc_model_forget(tc_model *m);
/* Of the taken points, the first of those that believe is about; their means are in m->z behind the values, of an exact GP. */
size_t tc_model_first_believed(const tc_history *h);
/* The predicted mean at the point of observation i, in standardised units. */
double tc_model_mean(const tc_model *m, size_t i);
/* The largest of them: the incumbent under noise. */
double tc_model_incumbent(const tc_model *m);
/* Of the variance of n values z, what is noise of this variance: at most all of it. model_recommend.c */
double tc_noise_share(double noise, size_t n, const double *z);
/* After sync: the same of the values, by the hyper-parameters in force. */
double tc_model_share(const tc_model *m);

/* model_recommend.c: recommend of the contract; the variance of the function at the point of observation i, in
 * standardised units. */
tacit_status tc_model_recommend(tc_model *m, tc_recommended *out, tacit_error *err);
tacit_status tc_model_variance(const tc_model *m, size_t i, double *out, tacit_error *err);

/* The fit members of the contract. */
bool tc_model_fit_due(const tc_model *m);
tacit_status tc_model_fit(tc_model *m, tc_text *out, tacit_error *err);
tacit_status tc_model_fitted(tc_model *m, const char *body, tacit_error *err);

/* For those who have several models (outcome_models.c): a fit as it was read, taken or only looked at. False: it is none of
 * this model. And what parses a body, with the refusal of one that `take` does not want. */
bool tc_model_read_fit(tc_model *m, const json_t *j, bool take);
typedef bool tc_take_fit(void *ctx, const json_t *j);
tacit_status tc_model_parse_fit(void *ctx, tc_take_fit *take, const char *body, tacit_error *err);

/* Finite spaces: flags the candidates that must not be asked now: those taken, and those
 * observed where repeats are off; none if that would leave nothing. */
const unsigned char *tc_model_close(tc_model *m);
/* Repeats: whether they are allowed, and whether u is a point observed or taken. */
bool tc_model_repeats(const tc_model *m);
bool tc_model_known(const tc_model *m, const double *u);

#endif
