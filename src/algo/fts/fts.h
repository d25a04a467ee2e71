/* fts.h - what the files of "fts", "rgpe" and "taf" share. Outside of this folder only registry.c
 * includes it.
 *
 * Federated Thompson sampling (Dai, Low and Jaillet, NeurIPS 2020). Every party derives the same
 * random features from the public seed, so an agent's function is a vector of M weights. Agents
 * publish one each and a relay hands them on. With own=features an agent's query maximises its own Thompson draw or,
 * now and then, a vector of somebody else; with own=gp it has a Gaussian process of its own, which hears the mean of
 * the vectors (heard.c). rgpe and taf are what that paper compares with: they
 * send a whole posterior and mix those of all agents.
 *
 * Rounds count from 0. Round r comes when an agent has its initial points and r more; iteration t is
 * the trial number t - 1 + initial. Nothing here is private: a message says what it was made of. */
#ifndef TC_ALGO_FTS_H
#define TC_ALGO_FTS_H

#include "algo/algorithm.h"
#include "algo/own/own.h"
#include "algo/thompson/thompson.h"

extern const tc_algorithm tc_algorithm_fts, tc_algorithm_rgpe, tc_algorithm_taf;

/* ---- options that all three have */

typedef struct tc_fts_common {
    int64_t features, initial;
    double lengthscale, noise, y_mean, y_scale;
    int kernel, own;
    bool unit;
} tc_fts_common;

enum { TC_FTS_OWN_FEATURES, TC_FTS_OWN_GP };

#define TC_FTS_COMMON_OPTIONS(S, m)                                                                \
    TC_INT_OPTION("features", offsetof(S, m.features), "100", 1, 4096,                             \
                  "M: shared random features, on which messages are written"),                     \
        TC_CHOICE_OPTION("kernel", offsetof(S, m.kernel), "se", TC_KERNEL_CHOICES,                 \
                         "covariance function that the features stand for"),                       \
        TC_FLOAT_OPTION(                                                                           \
            "lengthscale", offsetof(S, m.lengthscale), "0", 0, 100,                                \
            "its length-scale in units of the range, the same for all agents; 0: by the "          \
            "dimension",                                                                           \
            .before = "0.2"),                                                                      \
        TC_BOOL_OPTION("unit", offsetof(S, m.unit), "false",                                       \
                       "rescale the features of every point to norm 1"),                           \
        TC_FLOAT_OPTION("noise", offsetof(S, m.noise), "0.01", 1e-8, 1e4,                          \
                        "lambda: noise variance of the values, after y_mean and y_scale"),         \
        TC_FLOAT_OPTION("y_mean", offsetof(S, m.y_mean), "0", 0, 0,                                \
                        "public guess of the mean of the values (as maximised), subtracted"),      \
        TC_FLOAT_OPTION("y_scale", offsetof(S, m.y_scale), "1", 0, 1e300,                          \
                        "public guess of their standard deviation, divided by", .min_open = true), \
        TC_INT_OPTION(                                                                             \
            "initial", offsetof(S, m.initial), "-1", -1, 1e6,                                      \
            "points of each agent before the first round; -1: a third of its trials, from 3 "      \
            "to 10",                                                                               \
            .before = "10"),                                                                       \
        TC_CHOICE_OPTION(                                                                          \
            "own", offsetof(S, m.own), "gp", "features|gp",                                        \
            "an agent's own model: on the shared features, or its own Gaussian process",           \
            .before = "features")

/* For options that start with a tc_fts_common: agree of tc_relay_ops. */
tacit_status tc_fts_common_check(const void *opts, tacit_error *err);
/* begin of tc_algorithm, for the same. */
void tc_fts_begin(const tc_env *env, void *opts);
/* resolve_defaults of tc_algorithm, for the same. */
tacit_status tc_fts_common_resolve_defaults(const tc_env *env, void *opts, tacit_error *err);
/* The length-scale that holds: as given, or the usual one. */
double tc_fts_lengthscale(const tc_fts_common *o, size_t dim);

/* ---- what every agent has (core.c); the first member of its state */

#define TC_FTS_NEVER UINT64_MAX

typedef struct tc_fts_core {
    const tc_env *env;
    const tc_fts_common *opts;
    tc_features *features;
    tc_own *own;  /* own=gp; else NULL */
    uint64_t due; /* the next round to publish in */
    double *draw; /* M: scratch */
    tc_arena memory;
} tc_fts_core;

tacit_status tc_fts_core_init(tc_fts_core *c, const tc_env *env, const tc_fts_common *opts,
                              tacit_error *err);
void tc_fts_core_fini(tc_fts_core *c);
/* The features of observation i; scratch: M, used where they are not kept. */
const double *tc_fts_phi(const tc_fts_core *c, size_t i, double *scratch);
/* own=gp: *z has the values as they are standardised locally, until the next call. Else NULL. */
tacit_status tc_fts_standardise(const tc_fts_core *c, const double **z, tacit_error *err);
/* The value of observation i as messages are made of it; z: of tc_fts_standardise. */
double tc_fts_value(const tc_fts_core *c, const double *z, size_t i);
/* The weight of observation i (of its features and value) in a regression with noise of variance lambda: 1, or
 * sqrt(lambda/(lambda + v)) where its noise is known to have the variance v beside lambda. own=gp: after
 * tc_fts_standardise. */
double tc_fts_weight(const tc_fts_core *c, size_t i);
/* weight phi: phi itself if the weight is 1, else in c->draw. */
const double *tc_fts_weighed(const tc_fts_core *c, double weight, const double *phi);
/* The number of the trial that will be asked for next. */
uint64_t tc_fts_trial(const tc_fts_core *c);
bool tc_fts_federated(const tc_fts_core *c);
/* Is it time to publish in round c->due? */
bool tc_fts_publishes(const tc_fts_core *c);
/* E_CORRUPT: not in this round. */
tacit_status tc_fts_check_publish(const tc_fts_core *c, uint64_t round, tacit_error *err);

/* Members of tc_optimizer_ops whose state begins with a tc_fts_core. */
bool tc_fts_fit_due(const void *st);
tacit_status tc_fts_fit(void *st, tc_text *out, tacit_error *err);
tacit_status tc_fts_recommend(void *st, tc_recommended *out, tacit_error *err);
tacit_status tc_fts_fitted(void *st, const char *body, tacit_error *err);

/* ---- what an agent sends (message.c) */

enum { TC_FTS_HEADER = 16 };

typedef struct tc_fts_form {
    const char *algorithm, *magic;
    uint64_t round;
    size_t width; /* numbers */
} tc_fts_form;

void tc_fts_message_write(const tc_fts_form *f, const double *v, tc_text *out);
/* v: width numbers, or NULL to check alone. E_ARG: not a message of this form. */
tacit_status tc_fts_message_read(const tc_fts_form *f, const void *bytes, size_t n, double *v,
                                 tacit_error *err);
/* The same for what a relay made of the message of `party`: bare numbers. E_CORRUPT: not so. */
tacit_status tc_fts_relayed_read(const tc_fts_form *f, uint64_t party, const void *bytes, size_t n,
                                 double *v, tacit_error *err);

/* ---- what the relay does with it (relay.c): check and release of tc_relay_ops */

tacit_status tc_fts_relay_check(const tc_fts_form *f, const tc_env *env, uint64_t agent,
                                const void *bytes, size_t n, tacit_error *err);
tacit_status tc_fts_relay_release(const tc_fts_form *f, const void *bytes, size_t n,
                                  tc_release **out, tacit_error *err);

/* ---- fts */

enum { TC_FTS_SQRT, TC_FTS_INVERSE, TC_FTS_SQUARE, TC_FTS_CONSTANT };
enum { TC_FTS_ONE_SHOT, TC_FTS_GENERAL };
enum { TC_FTS_UNIFORM, TC_FTS_GIVEN, TC_FTS_LEARNED };
enum { TC_FTS_MESSAGE_AUTO, TC_FTS_DRAW, TC_FTS_MEAN, TC_FTS_VALUES };

typedef struct tc_fts_options {
    tc_fts_common common;
    int64_t reads;
    double p1, follow;
    int schedule, mode, choose, message;
    char *given;
} tc_fts_options;

/* fts.c: agree of tc_relay_ops. */
tacit_status tc_fts_check(const void *opts, tacit_error *err);

/* schedule.c: 1 - p_t, how likely the query of iteration t = 1, 2, ... follows somebody else. */
double tc_fts_follow(const tc_fts_options *o, uint64_t t);
/* The first iteration t <= T in which the inequality of Theorem 1, (1 - p_t) c_t <= (1 - p_1) c_1,
 * does not hold; 0 if it does in all. `points` is |X|; beta_t is 1, as tacit runs it. */
uint64_t tc_fts_condition(const tc_fts_options *o, double points, uint64_t T);
/* resolve_defaults and theorem of tc_algorithm. */
tacit_status tc_fts_resolve_defaults(const tc_env *env, void *opts, tacit_error *err);
void tc_fts_theorem(const tc_env *env, const void *opts, uint64_t rounds, tc_text *out);

tc_fts_form tc_fts_form_of(const tc_fts_options *o, const tc_space *s, uint64_t round);

extern const tc_optimizer_ops tc_fts_agent;
extern const tc_relay_ops tc_fts_relay;

#endif
