/* tacit/release.h - from raw values to what may leave: mechanisms and their releases.
 *
 * A release is made by one of the mechanisms below and by nothing else. It carries the released
 * numbers together with what they cost and whom that protects. The noise is exact and discrete,
 * from fresh entropy of the operating system, drawn before the data are read; there is no way to
 * seed it. How long a draw takes does not depend on the data, but it does on the noise: let a
 * release leave at a moment that does not depend on it.
 *
 * Clip norms, bounds, weights, rates, epsilons and the number of rows are public constants: none of
 * them may be computed from data. A coordinate that is not a number or infinite stands for the
 * public midpoint of its bounds, and for zero in a sum.
 *
 * What leaves is not a release but the bytes that a ledger has stored for it (tacit/ledger.h):
 * releases may be drawn twice, those bytes never are.
 *
 * Handles serve one thread at a time; those that are passed as const may be read by many. Pointers
 * passed in are borrowed for the call. Outputs are written on success only. `err` may be NULL. A
 * pointer that is missing is E_ARG. Begin every plan with its macro: it sets `size` and what has
 * a default.
 *
 *     tacit_sum_plan plan = TACIT_SUM_PLAN;
 *     plan.agents = 3; */
#ifndef TACIT_RELEASE_H
#define TACIT_RELEASE_H

#include <tacit/privacy.h>
#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_release tacit_release; /* end with tacit_release_free */

/* What a release costs. */
typedef struct tacit_cost {
    size_t size;          /* sizeof of this struct as the caller saw it */
    tacit_dp_event event; /* what an accountant is told */
    tacit_unit unit;      /* who pays */
    double distance; /* of the discrete noise from the continuous one that accountants speak of:
                             a total variation, for which a ledger adds to delta; 0: no need */
} tacit_cost;
#define TACIT_COST                                                                                 \
    {                                                                                              \
        sizeof(tacit_cost), {TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 0}, TACIT_UNIT_AGENT, 0      \
    }

/* ---- Gaussian sum
 *
 * Weighted sums of the agents' vectors, one sum for each block:
 *     out[i] = sum over agents n of weight(n,i) v_n + noise.
 * Neighbours: all vectors of one agent become zero, which is the same as its absence; the roster
 * and the weights stay as they are. Each v_n is cut to the clip norm (L2) here, and the noise is
 * multiplier times the most that one agent can add. With a rate below 1 each agent takes part by
 * a secret coin that is tossed here: fold everybody who came, and keep to yourself who that was.
 * A sum belongs to the process that opened it: its noise serves once, and a fork copies it. */

typedef struct tacit_sum tacit_sum; /* end with tacit_sum_free, which erases it */

typedef struct tacit_sum_plan {
    size_t size;             /* sizeof of this struct as the caller saw it */
    size_t agents;           /* the public roster: agents are 0 .. agents - 1 */
    size_t width;            /* numbers in a vector */
    size_t blocks;           /* sums; the release has `blocks` rows of `width` */
    const double *weights;   /* agents x blocks, each in [0, 2^32); NULL: 1. Rounded down, to 2^-31
                                or 2^-34 of the largest sum over a block or norm over an agent,
                                whichever is coarsest */
    double clip_norm;        /* of one vector; in [1e-250, 1e250] */
    double noise_multiplier; /* in (0, 1e6]; 0: no noise, stamped NOT PRIVATE */
    double sampling_rate;    /* in (0, 1] */
} tacit_sum_plan;
#define TACIT_SUM_PLAN                                                                             \
    {                                                                                              \
        sizeof(tacit_sum_plan), 0, 0, 1, NULL, 0, 0, 1                                             \
    }

/* What closing such a sum will cost. Draws nothing: ask a ledger with it beforehand. */
TACIT_API tacit_status tacit_sum_cost(const tacit_sum_plan *plan, tacit_cost *out,
                                      tacit_error *err);
/* Draws the noise. The plan is copied. E_ARG names the member that is wrong. */
TACIT_API tacit_status tacit_sum_open(tacit_sum **out, const tacit_sum_plan *plan,
                                      tacit_error *err);
/* Adds the vector of an agent, v[0..width), in any order. Its coordinates are cut toward zero to
 * multiples of at most 2^-25 clip norms. E_STATE: the agent is in it already, the sum is closed, or
 * another process opened it (before a fork). */
TACIT_API tacit_status tacit_sum_fold(tacit_sum *s, size_t agent, const double *v,
                                      tacit_error *err);
/* Once, by the process that opened it: else E_STATE. Also if nobody came: an empty sum is noise like
 * any other. */
TACIT_API tacit_status tacit_sum_close(tacit_sum *s, tacit_release **out, tacit_error *err);
TACIT_API void tacit_sum_free(tacit_sum *s); /* NULL is allowed */

/* ---- Laplace vector
 *
 * x, clamped to the bounds, + Laplace noise in every coordinate. Neighbours: two data sets whose
 * clamped vectors differ by at most `sensitivity` in L1 norm. Pure epsilon. */

typedef struct tacit_laplace_plan {
    size_t size;              /* sizeof of this struct as the caller saw it */
    size_t count;             /* numbers in x */
    const double *low, *high; /* public bounds of each, finite, low < high */
    double sensitivity;       /* 0: any two vectors within the bounds */
    tacit_unit unit;
    double epsilon; /* in [1e-5, 1024] */
} tacit_laplace_plan;
#define TACIT_LAPLACE_PLAN                                                                         \
    {                                                                                              \
        sizeof(tacit_laplace_plan), 0, NULL, NULL, 0, TACIT_UNIT_AGENT, 0                          \
    }

TACIT_API tacit_status tacit_laplace_release(tacit_release **out, const tacit_laplace_plan *plan,
                                             const double *x, tacit_error *err);

/* ---- rows of a data set
 *
 * Every row + noise, in an order drawn anew. Neighbours: one row moves by at most `radius` in L2
 * norm; so this is epsilon per radius. Two values m radii apart have m epsilon with Laplace noise;
 * where there is a delta, they have m epsilon and m e^((m-1) epsilon) delta. */

typedef enum tacit_rows_noise {
    TACIT_ROWS_AUTO = 0, /* the smaller one */
    TACIT_ROWS_LAPLACE = 1,
    TACIT_ROWS_GAUSSIAN = 2 /* analytic Gaussian; needs a delta */
} tacit_rows_noise;

typedef struct tacit_rows_plan {
    size_t size;              /* sizeof of this struct as the caller saw it */
    size_t rows, dims;        /* both are public */
    const double *low, *high; /* public bounds of each column, finite, low < high */
    double radius;            /* > 0 */
    double epsilon;           /* in [1e-5, 1024] */
    tacit_rows_noise noise;
    double delta; /* in [0, 1); 0: Laplace */
} tacit_rows_plan;
#define TACIT_ROWS_PLAN                                                                            \
    {                                                                                              \
        sizeof(tacit_rows_plan), 0, 0, NULL, NULL, 0, 0, TACIT_ROWS_AUTO, 0                        \
    }

/* Row i of the release is row order[i] of x (rows x dims, row by row). The order, order[0..rows),
 * is your secret: it tells whose row is whose. */
TACIT_API tacit_status tacit_rows_release(tacit_release **out, size_t *order,
                                          const tacit_rows_plan *plan, const double *x,
                                          tacit_error *err);

/* ---- replies
 *
 * One number of one user, who need trust nobody. Neighbours: any two values; m replies of one user
 * cost m epsilon. Values are clamped to the bounds. Pure epsilon; replies are unbiased. */

typedef struct tacit_reply tacit_reply; /* end with tacit_reply_free */

typedef enum tacit_reply_kind {
    TACIT_REPLY_AUTO = 0, /* one bit below epsilon 1.29, else piecewise: the smaller worst error */
    TACIT_REPLY_ONE_BIT = 1,   /* Duchi et al. */
    TACIT_REPLY_PIECEWISE = 2, /* Wang et al. 2019 */
    TACIT_REPLY_LAPLACE = 3    /* unbounded; the same error for every value */
} tacit_reply_kind;

/* Made once, used for any number of replies, by any number of threads. epsilon in [1e-5, 64]. E_ARG
 * too where the bounds are so close or so far apart that a reply would not fit a double. */
TACIT_API tacit_status tacit_reply_new(tacit_reply **out, tacit_reply_kind kind, double epsilon,
                                       double low, double high, tacit_error *err);
TACIT_API tacit_status tacit_reply_release(const tacit_reply *p, double y, tacit_release **out,
                                           tacit_error *err);
TACIT_API void tacit_reply_free(tacit_reply *p); /* NULL is allowed */

/* ---- none
 *
 * The values as they are, rows x cols, stamped NOT PRIVATE for the reason `why`. So that what has
 * no guarantee stands in the ledger, too, and says so. `why` is UTF-8 without control characters, of
 * 1 to 4096 bytes. */
TACIT_API tacit_status tacit_none_release(tacit_release **out, size_t rows, size_t cols,
                                          const double *x, tacit_unit unit, const char *why,
                                          tacit_error *err);

/* ---- reading a release
 *
 * Texts and arrays are borrowed from the release. Of NULL, numbers are 0, texts "", values NaN. */

TACIT_API void tacit_release_free(tacit_release *r);                   /* NULL is allowed */
TACIT_API const char *tacit_release_mechanism(const tacit_release *r); /* "gaussian-sum" */
TACIT_API size_t tacit_release_rows(const tacit_release *r);
TACIT_API size_t tacit_release_cols(const tacit_release *r);
/* offset + step * steps[i * cols + j]; NaN outside of the table. */
TACIT_API double tacit_release_value(const tacit_release *r, size_t i, size_t j);
/* The exact integers, rows x cols; NULL: `none`, whose values are doubles. */
TACIT_API const int64_t *tacit_release_steps(const tacit_release *r);
TACIT_API double tacit_release_step(const tacit_release *r);
TACIT_API double tacit_release_offset(const tacit_release *r);
/* Of one value, in the units of the values; of bounded replies, the worst case. 0: no noise. */
TACIT_API double tacit_release_noise_sd(const tacit_release *r);

/* Which two data sets are hard to tell apart, in words. */
TACIT_API const char *tacit_release_adjacency(const tacit_release *r);
TACIT_API tacit_status tacit_release_cost(const tacit_release *r, tacit_cost *out,
                                          tacit_error *err);
TACIT_API bool tacit_release_private(const tacit_release *r);
TACIT_API const char *tacit_release_not_private(const tacit_release *r); /* why not; "": it is */

/* The guarantee of this release alone, in sentences: whose, epsilon, delta, neighbours, what is not
 * protected, and NOT PRIVATE where that is so. `accountant` NULL stands for "pld". End *text with
 * tacit_text_free. */
TACIT_API tacit_status tacit_release_statement(const tacit_release *r, const char *accountant,
                                               double delta, char **text, tacit_error *err);

/* The bytes that a ledger stores: 8 for each value, row by row, little-endian; the integer steps,
 * or of `none` the bits of the doubles. E_ARG: `size` is not tacit_release_size. */
TACIT_API size_t tacit_release_size(const tacit_release *r);
TACIT_API tacit_status tacit_release_encode(const tacit_release *r, uint8_t *out, size_t size,
                                            tacit_error *err);
/* The values in bytes that were stored for a release like r: with its mechanism, plan and shape, of
 * an earlier draw perhaps. values[0..rows x cols). E_ARG: they have another size. */
TACIT_API tacit_status tacit_release_decode(const tacit_release *r, const uint8_t *bytes,
                                            size_t size, double *values, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
