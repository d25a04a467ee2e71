/* ldp_int.h - what tgp.c, ata.c and moma.c share: options, the law of the rewards, the model of the
 * arms. For the files of this folder. */
#ifndef TC_ALGO_LDP_LDP_INT_H
#define TC_ALGO_LDP_LDP_INT_H

#include "algo/ldp/arms.h"
#include "algo/ldp/ldp.h"
#include "algo/ldp/sketch.h"
#include "privacy/mechanism.h"

/* ---- options (ldp_options.c) */

enum { TC_SCALE_THEORY, TC_SCALE_PRACTICAL };
enum { TC_TAIL_MOMENT, TC_TAIL_WEIBULL };
enum { TC_CUT_CURRENT, TC_CUT_PAST };
enum { TC_ROOT_FACTOR, TC_ROOT_SYMMETRIC };

typedef struct tc_ldp_options {
    /* all */
    int kernel, scale;
    double lengthscale, bound, lambda, delta, width;
    int64_t arms, horizon;
    double accuracy; /* ata, moma */
    int cut, root;   /* ata */
    int64_t k;       /* moma */
    /* private replies */
    double noise_bound, epsilon;
    int reply;
    int64_t answers;
    /* heavy tails */
    double alpha, reward_moment, noise_moment;
    int tail;
    double tail_theta, tail_a, tail_b;
} tc_ldp_options;

extern const tc_option tc_ldp_tgp_options[], tc_ldp_ata_options[], tc_ldp_moma_options[];
extern const tc_option tc_tgp_options[], tc_ata_options[], tc_moma_options[];

/* A reply as the options describe it: bounds -(B + R) and B + R. */
tacit_status tc_ldp_reply(const tc_ldp_options *o, tc_reply *out, tacit_error *err);

/* The curator's half and the promise of the private algorithms. */
extern const tc_curator_ops tc_ldp_curator_ops;
tacit_status tc_ldp_promise(const tc_env *env, void *opts, double epsilon, double delta,
                            tacit_error *err);

/* ---- thresholds and widths (widths.c; docs/math.md, "Local privacy") */

typedef enum tc_tail {
    TC_REWARD_LAPLACE, /* P(|y| > B + R + L ln t) <= 1/t */
    TC_REWARD_BOUNDED, /* |y| <= reach */
    TC_REWARD_MOMENT,  /* E |y|^(1 + alpha) <= v */
    TC_REWARD_WEIBULL  /* P(|noise| > x) <= a exp(-b x^(1/theta)) */
} tc_tail;

/* What is known of the rewards, and the constants of the bounds. */
typedef struct tc_law {
    tc_tail tail;
    bool practical;
    double B, lambda, delta, T, accuracy;
    double alpha;
    double v;            /* E |y|^(1 + alpha) is at most this */
    double c;            /* and of the noise, that */
    double first, slope; /* LAPLACE: b_t = first + slope ln t */
    double reach;        /* BOUNDED */
    double theta, a, b;  /* WEIBULL */
} tc_law;

/* The law of private replies, or of heavy tails for an algorithm that gets no private replies: its epsilon is 0. */
tacit_status tc_law_init(tc_law *l, const tc_ldp_options *o, const tc_env *env, tacit_error *err);

/* t plays so far, m features, n epochs so far, gain: the information gain. */
double tc_tgp_cut(const tc_law *l, double t); /* b_t, t >= 1; INFINITY where nothing is cut */
double tc_tgp_width(const tc_law *l, double t, double gain);
double tc_ata_cut(const tc_law *l, double t, size_t m);
double tc_ata_width(const tc_law *l, double t, size_t m);
double tc_moma_width(const tc_law *l, double n, size_t m);
/* q: how eagerly played arms enter a dictionary. */
double tc_dictionary_rate(const tc_law *l);
/* Epochs that are long enough for the theorem: ceil(24 ln(4 e T / delta)). */
double tc_moma_plays(const tc_law *l);

/* ---- the model of the arms (ldp_model.c) */

/* Rewards beyond this are cut to it: no sum overflows, and no bound on rewards is near it. */
#define TC_REWARD_MOST 1e100

typedef struct tc_ldp_model {
    const tc_env *env;
    const tc_ldp_options *opts;
    tc_law law;
    tc_arms arms;
    tc_sketch sketch;
    bool *listed;       /* n: is the arm in the dictionary? */
    double *mean, *var; /* n: as of the last estimate */
    double *row;        /* n: scratch */
} tc_ldp_model;

/* o: the algorithm's options. */
tacit_status tc_ldp_model_init(tc_ldp_model *m, const tc_env *env, const tc_ldp_options *o,
                               size_t targets, tacit_error *err);
void tc_ldp_model_fini(tc_ldp_model *m);
/* The last observation, within +-TC_REWARD_MOST. */
double tc_ldp_model_told(const tc_ldp_model *m, size_t *arm);
/* Arm a joins the dictionary if it is not in it. */
tacit_status tc_ldp_model_list(tc_ldp_model *m, size_t a, tacit_error *err);
/* Before the play of arm a number `step` is taken in: draws the dictionary anew from all played
 * arms, a included. */
tacit_status tc_ldp_model_draw(tc_ldp_model *m, size_t a, uint64_t step, tacit_error *err);
/* The arm with the largest mean + width * sd that is not handed out; ties: the lowest. */
size_t tc_ldp_model_best(const tc_ldp_model *m, double width);
/* recommend of the contract, by the estimate in m->mean and m->var: of the arms that were played. */
void tc_ldp_model_recommend(const tc_ldp_model *m, tc_recommended *out);
/* The option `width`, or else `formula`. */
double tc_ldp_model_width(const tc_ldp_model *m, double formula);

#endif
