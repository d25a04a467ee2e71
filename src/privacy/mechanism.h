/* mechanism.h - from raw values to releases.
 *
 * Each mechanism states its adjacency (which two data sets it makes hard to tell apart), its
 * sensitivity and its slack. Data become integers on a grid by one rounding; from there to the
 * release all arithmetic is in integers, and the noise is exact (sampler.h). Noise is drawn before
 * data are read: the time that takes does not depend on them. It does depend on the noise, so a
 * release must leave at a moment that does not depend on how long its draw took.
 *
 * Bounds, clip norms, weights, rates and the number of rows are public constants: nothing here may
 * be computed from data. A coordinate that is not a number or infinite stands for the public
 * midpoint (zero in a sum). Overflow is refused before anything is drawn. */
#ifndef TC_PRIVACY_MECHANISM_H
#define TC_PRIVACY_MECHANISM_H

#include "privacy/entropy.h"
#include "privacy/release.h"

/* ---- vectors of integers (clip.c) */

#define TC_CLIP_MAX       (UINT64_C(1) << 40) /* largest clip norm, in steps */
#define TC_CLIP_MAX_COUNT ((size_t)1 << 24)   /* coordinates */

/* x in steps of 2^-grid, rounded toward zero: a norm never grows. NaN and infinities: 0; beyond
 * +-2^62: that. */
int64_t tc_grid_truncate(double x, int grid);
void tc_grid_truncate_many(const double *x, size_t n, int grid, int64_t *out);

/* Scales v down to a norm of at most `clip` <= TC_CLIP_MAX, exactly; leaves it alone where it is
 * within. n <= TC_CLIP_MAX_COUNT. Any values, INT64_MIN too. */
void tc_clip_l2(int64_t *v, size_t n, uint64_t clip);

/* ---- Gaussian sum (sum_plan.c, sum.c)
 *
 * Sums of the agents' vectors, one for each block: out[i] = sum over n of weight(n,i) v_n + noise.
 * Adjacency: all vectors of one agent are replaced by zero (the same as: it is absent); the roster
 * and the weights stay as they are. Contributions are clipped here and summed exactly; each sum is
 * rounded once, from the grid of the products to that of the release, `shift` binary digits
 * coarser. Sensitivity: the L2 norm over all blocks, in steps of the release at most
 * Delta = ceil(max_n |weights_n| clip / 2^shift) + ceil(sqrt(blocks width)), where the second term
 * is for the rounding, and absent if shift <= 0 (proof in sum_plan.c). Noise: discrete Gaussian of
 * s = ceil(z Delta) steps in every coordinate, also when nobody came. With a rate below 1 each agent
 * takes part by a secret coin, tossed here. Integer Renyi orders hold exactly; for other accountants
 * the slack is that of blocks * width coordinates. */
typedef struct tc_sum_plan {
    size_t agents;           /* the public roster */
    size_t blocks, width;    /* out: blocks x width; a contribution has `width` integers */
    size_t groups;           /* agents of the same weights: n is of group n mod groups */
    const uint32_t *weights; /* groups x blocks, floor(phi 2^weight_bits); NULL: one group, 1 */
    /* NULL, or the short form of a table: group g counts weights[g] in block g and away[i] in any
     * other block i. Both have `blocks` entries, and groups <= blocks. */
    const uint32_t *away;
    unsigned weight_bits; /* f <= 31; 0 where weights is NULL, and so is groups */
    int grid;             /* a step of a contribution is 2^-grid */
    uint64_t clip;        /* steps, at most TC_SUM_CLIP_MAX */
    uint64_t multiplier;  /* noise multiplier z, in 2^-32; 0: no noise, NOT PRIVATE */
    uint64_t rate;        /* sampling rate q, in 2^-32; 2^32: everybody */
} tc_sum_plan;

#define TC_SUM_ONE      (UINT64_C(1) << 32)
#define TC_SUM_CLIP_MAX (UINT64_C(1) << 26)

typedef struct tc_sum_scale {
    int shift;             /* from products to the release; negative: it is finer */
    int grid;              /* a step of the release is 2^-grid */
    uint64_t sensitivity;  /* Delta, steps of the release */
    uint64_t sd;           /* s, steps of the release: in [2^20, 2^24) */
    tacit_dp_event event;  /* what closing will cost */
    double distance;       /* and its slack (release.h); 0 without noise */
    const char *adjacency; /* as the release will state it */
} tc_sum_scale;

/* Sets grid, clip, multiplier and rate from real numbers; the other members are set already. The
 * grid follows from the clip norm alone. clip_norm is rounded down, z up; q to the nearest, the
 * event says to which. */
tacit_status tc_sum_plan_set(tc_sum_plan *p, double clip_norm, double z, double q,
                             tacit_error *err);
/* The same for who needs the scale too. */
tacit_status tc_sum_plan_fit(tc_sum_plan *p, double clip_norm, double z, double q,
                             tc_sum_scale *out, tacit_error *err);
/* The sampling rate that coins are tossed with: q in 2^-32, to the nearest. */
uint64_t tc_sum_rate(double q);
/* Sets grid and clip alone: what a contribution looks like. */
tacit_status tc_sum_plan_clip(tc_sum_plan *p, double clip_norm, tacit_error *err);
/* Checks the plan and computes its scale; draws nothing. E_ARG names the member. */
tacit_status tc_sum_plan_scale(const tc_sum_plan *p, tc_sum_scale *out, tacit_error *err);

typedef struct tc_sum tc_sum; /* end with tc_sum_free, which erases it */

tacit_status tc_sum_open(tc_sum **out, const tc_sum_plan *p, tc_entropy *e, tacit_error *err);
/* v: any integers, clipped here. In any order; E_STATE: this agent is in it already, the sum is
 * closed, or it was opened by another process. */
tacit_status tc_sum_fold(tc_sum *s, size_t agent, const int64_t *v, tacit_error *err);
/* Once, and by the process that opened it: a forked copy has the same noise, and two sums with the
 * same noise tell their difference. Noise and vectors are erased. */
tacit_status tc_sum_close(tc_sum *s, tc_release **out, tacit_error *err);
void tc_sum_free(tc_sum *s);

/* ---- Laplace sum over records (record_sum.c)
 *
 * The sum of the agents' vectors of integers, each coordinate of which is itself a sum over records of
 * that agent: out[i] = sum over n of v_n[i] + noise. Adjacency: one record of one agent is replaced,
 * which moves one coordinate of its vector by at most `record` steps. The caller sees to it that no
 * record is in two sums: so the release is about the records of this sum alone (`single`), and a
 * ledger that charges each sum to a name of its own charges each record once. Contributions are
 * held to +-reach here and summed exactly. Noise: discrete Laplace of t steps, t as below for one
 * coordinate that moves by `record`. Pure epsilon, no slack. Coordinates may be zero for any public
 * reason; an agent that is absent has zeros. */
typedef struct tc_record_plan {
    size_t agents, width; /* the public roster; integers of a contribution */
    uint64_t reach;       /* steps: a coordinate is within +-reach; agents x reach <= 2^60 */
    uint64_t record;      /* steps: by how much one record moves a coordinate at most */
    int grid;             /* a step is 2^-grid */
    double epsilon;       /* of one release */
} tc_record_plan;

typedef struct tc_record_scale {
    uint64_t scale;        /* t, steps: at most 2^40 */
    tacit_dp_event event;  /* what closing will cost */
    const char *adjacency; /* as the release will state it */
} tc_record_scale;

/* Checks the plan and computes its scale; draws nothing. E_ARG names the member. */
tacit_status tc_record_plan_scale(const tc_record_plan *p, tc_record_scale *out, tacit_error *err);

typedef struct tc_record_sum tc_record_sum; /* end with tc_record_sum_free, which erases it */

/* As tc_sum_open, tc_sum_fold and tc_sum_close. */
tacit_status tc_record_sum_open(tc_record_sum **out, const tc_record_plan *p, tc_entropy *e,
                                tacit_error *err);
tacit_status tc_record_sum_fold(tc_record_sum *s, size_t agent, const int64_t *v, tacit_error *err);
tacit_status tc_record_sum_close(tc_record_sum *s, tc_release **out, tacit_error *err);
void tc_record_sum_free(tc_record_sum *s);

/* ---- public bounds */

typedef struct tc_bounds {
    const double *low, *high; /* low < high, finite; one of each for every coordinate */
} tc_bounds;

/* ---- Laplace vector (laplace_vector.c)
 *
 * x + discrete Laplace noise in every coordinate, after clamping x to the bounds. Adjacency: two
 * data sets whose clamped vectors differ by at most `sensitivity` in L1 norm (0 stands for any two:
 * the sum of the widths of the bounds). Rounding to the nearest step adds at most n steps:
 * Delta = floor(sensitivity / step) + n, noise scale t = ceil(Delta / epsilon) steps and the few
 * more with which discrete noise is no worse than the continuous event (mechanism.c): t >= 2^30.
 * Pure epsilon, no slack. */
typedef struct tc_laplace_plan {
    size_t count;
    tc_bounds bounds;
    double sensitivity, epsilon;
    tacit_unit unit;
    bool single; /* x is of one unit alone; false: a statistic, which concerns every unit */
} tc_laplace_plan;

typedef struct tc_laplace_noise {
    int grid;             /* a step is 2^-grid */
    uint64_t scale;       /* t, steps */
    double sensitivity;   /* in L1 norm */
    tacit_dp_event event; /* what one release costs */
    double noise_sd;      /* of one released coordinate */
} tc_laplace_noise;

/* Checks the plan and chooses its noise; draws nothing. E_ARG names the member. */
tacit_status tc_laplace_plan_noise(const tc_laplace_plan *p, tc_laplace_noise *out,
                                   tacit_error *err);
tacit_status tc_laplace_release(tc_release **out, const tc_laplace_plan *p, const double *x,
                                tc_entropy *e, tacit_error *err);

/* ---- rows of a data set (rows.c)
 *
 * Every row + noise, in an order drawn anew. Adjacency: one row moves by at most `radius` in L2
 * norm (after clamping, which brings rows nearer, never farther); the number of rows is public. So
 * this is epsilon per `radius`: two values at distance m radius have m epsilon and, with Gaussian
 * noise, m e^((m-1) epsilon) delta. Laplace: Delta1 = floor(sqrt(dims) radius / step) + dims, scale
 * as above, pure. Gaussian: Delta2 = ceil(radius / step + sqrt(dims)), s = ceil(sigma Delta2),
 * sigma from the analytic Gaussian mechanism at (epsilon, delta - slack), slack of `dims`
 * coordinates (the others of the table have the same distribution in both cases). */
typedef struct tc_rows_plan {
    size_t rows, dims;
    tc_bounds bounds;              /* for each of dims columns */
    double radius, epsilon, delta; /* delta: Gaussian only; 0: Laplace */
    tacit_rows_noise noise;
    /* Where rows are the image of others under a public map, how far one of those may move so that
     * its image moves by `radius` at most, and in what units: "in units of income 10000". Both
     * are part of the adjacency, and public. 0 and NULL: rows are as they are. */
    double moved;
    const char *metric;
} tc_rows_plan;

typedef struct tc_rows_noise {
    bool gaussian;
    int grid;              /* a step is 2^-grid */
    uint64_t scale;        /* t or s, steps */
    double sensitivity;    /* of Laplace in L1 norm, of Gaussian the radius */
    double sd;             /* of one released number */
    double distance;       /* of discrete from continuous noise */
    tacit_dp_event event;  /* what the release costs */
    const char *mechanism; /* as the ledger names it */
} tc_rows_noise;

/* Checks the plan and chooses its noise; draws nothing. E_ARG names the member. */
tacit_status tc_rows_plan_noise(const tc_rows_plan *p, tc_rows_noise *out, tacit_error *err);
/* Row i of the release is row order[i] of x (rows x dims). The order is a secret of the caller. */
tacit_status tc_rows_release(tc_release **out, size_t *order, const tc_rows_plan *p,
                             const double *x, tc_entropy *e, tacit_error *err);

/* ---- one evaluation on records (value.c)
 *
 * A metric over records, one number, + Gaussian noise. Adjacency: one record is replaced by another,
 * which moves the metric by at most `sensitivity`; the caller vouches for that (a mean of n losses,
 * each within an interval of width w, moves by w / n). Clamping to the bounds moves no two metrics
 * apart. What is not a number, an evaluation that failed say, stands for `failed`: so that it
 * failed looks like a bad value. On the grid of the release: D = ceil(sensitivity / step) + 1, the
 * second term for the rounding, and a discrete Gaussian of s = ceil(z D) steps, s in [2^20, 2^24).
 * Integer Renyi orders hold exactly, for other accountants the slack is that of one coordinate. */
typedef struct tc_value_plan {
    double low, high;    /* public bounds of the metric */
    double failed;       /* within them: the worse end */
    double sensitivity;  /* > 0 */
    double z;            /* noise multiplier, in [1e-3, 1e6] */
    uint64_t per_person; /* records of one person that are replaced together; 0 or 1: one record */
    bool paid;           /* its price stands in the ledger already (record_ledger.h): count 0 */
} tc_value_plan;

typedef struct tc_value_scale {
    int grid;             /* a step is 2^-grid */
    uint64_t delta, sd;   /* D and s, steps */
    tacit_dp_event event; /* what one release costs, paid or not */
    double distance;
    double noise_sd; /* of the released number */
} tc_value_scale;

/* Checks the plan and computes its scale; draws nothing. E_ARG names the member. */
tacit_status tc_value_plan_scale(const tc_value_plan *p, tc_value_scale *out, tacit_error *err);
tacit_status tc_value_release(tc_release **out, const tc_value_plan *p, double y, tc_entropy *e,
                              tacit_error *err);
/* The noise multiplier with which `evaluations` of them together stay within (epsilon, delta), discreteness included.
 * E_NUMERIC: none up to 1e6 does. */
tacit_status tc_value_calibrate(double epsilon, double delta, uint64_t evaluations, double *z,
                                tacit_error *err);
/* What so many of them cost, by the ledger's own bound; `distance` is that of the worst scale there is. */
tacit_status tc_value_cost(double z, uint64_t evaluations, double delta, tacit_guarantee *out,
                           tacit_error *err);
/* The sentence about neighbours; `out` has room for TC_VALUE_ADJACENCY bytes. */
enum { TC_VALUE_ADJACENCY = 360 };
void tc_value_adjacency(const tc_value_plan *p, char out[TC_VALUE_ADJACENCY]);

/* ---- one reply of one user (reply.c)
 *
 * Adjacency: any two values of the user (local privacy); sensitivity: the width of the bounds, to
 * which a value is clamped first. Pure epsilon per reply, no slack; m replies about the same user
 * cost m epsilon. One bit (Duchi et al.) and piecewise (Wang et al. 2019) are bounded and unbiased
 * with probabilities that are multiples of 2^-63, rounded so that no likelihood ratio exceeds
 * e^epsilon (proof in reply.c). Laplace: t as above, of the width in steps. */
/* Plain data, all public. Made once, used for many replies. */
typedef struct tc_reply {
    tacit_reply_kind kind; /* never AUTO */
    double epsilon, low, high;
    double offset, step; /* value = offset + step * integer */
    double sd;           /* the largest over all values */
    int64_t reach;       /* a value is one of the integers -reach..reach */
    uint64_t inside;     /* one bit: A; piecewise: B; both of 2^-63 */
    uint64_t window;     /* piecewise: L cells of higher probability */
    uint64_t scale;      /* Laplace: t */
} tc_reply;

/* E_ARG: epsilon outside [1e-5, 64], bounds not finite or not in order, or so close or far apart
 * that a reply's step would be below 2^-1000 or its sd above 2^1000. */
tacit_status tc_reply_init(tc_reply *r, tacit_reply_kind kind, double epsilon, double low,
                           double high, tacit_error *err);
tacit_status tc_reply_release(tc_release **out, const tc_reply *r, double y, tc_entropy *e,
                              tacit_error *err);
/* What a ledger's entry says of one reply: the event and the name of the mechanism. */
tacit_dp_event tc_reply_event(const tc_reply *r);
const char *tc_reply_mechanism(const tc_reply *r);

/* ---- none (none.c)
 *
 * The values as they are: no adjacency, no guarantee. Stamped NOT PRIVATE for the given reason,
 * event NonPrivate. For algorithms without formal privacy, in studies that say so. */
#define TC_NONE_ADJACENCY "none: values are released as they are"
tacit_status tc_none_release(tc_release **out, size_t rows, size_t cols, const double *x,
                             tacit_unit unit, const char *why, tacit_error *err);

/* ---- post-processing (processed.c)
 *
 * Numbers that were computed from private values alone cost nothing, whatever is done with them: the messages and sums
 * of a study that protects records, whose agents put noise into each value. A release without noise is relabelled so; the
 * caller vouches for where its numbers come from. */
#define TC_PROCESSED_ADJACENCY                                                                     \
    "as in the ledgers of the agents: each made its values private for single records before it "  \
    "computed a message from them"
tacit_dp_event tc_event_processed(void); /* of no cost: count 0 */
void tc_release_set_processed(tc_release *r);

/* ---- pledge (pledge.c)
 *
 * No numbers: the price of a contribution, in the ledger of whoever sends it, before it is sent. The
 * event and the distance are those of the release that it goes into; single as in release.h. */
tacit_status tc_pledge(tc_release **out, const tacit_dp_event *event, double distance,
                       tacit_unit unit, bool single, tacit_error *err);
/* The same with all that can be known beforehand. */
typedef struct tc_pledge_terms {
    tacit_dp_event event;
    double distance;
    tacit_unit unit;
    bool single;
    const char *adjacency;   /* of the release that is to come; NULL or "": the unit's usual one */
    const char *not_private; /* its noise is known not to be secret, and why; NULL: it is */
    const char *mechanism;   /* NULL: "pledge" */
    double offset;           /* of ledger_restored.c; else 0 */
    tacit_relation relation; /* between the neighbours; USUAL: that of the unit */
} tc_pledge_terms;
tacit_status tc_pledge_by(tc_release **out, const tc_pledge_terms *t, tacit_error *err);

#endif
