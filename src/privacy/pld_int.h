/* pld_int.h - the parts of the privacy loss distribution. For src/privacy/pld*.c alone.
 *
 *   gather    the different events of a list                                pld_gather.c
 *   source    one event: the density of its outcomes and the loss of each   pld_source.c
 *   cells     what its loss puts into the half cells of a grid              pld_cells.c
 *   measures  atoms on the grid: one above the event, one below             pld_measure.c
 *   tilt      the exponential tilt and the window for the composition       pld_tilt.c
 *   compose   all events, all counts, by FFT                                pld_compose.c
 *   epsilon   epsilon at delta, read off the composition                    pld_epsilon.c
 *
 * Why the result is a proved bracket. For a measure p of losses write its curve
 *     f_p(eps) = integral of (1 - exp(eps - l))_+ p(dl);   delta(eps) of a mechanism is the curve
 * of its loss under P, where l = ln dP/dQ. Composition adds losses, and
 *     f_{p * r}(eps) = integral of f_p(eps - l) r(dl),
 * so for nonnegative measures the curve of a composition grows with the curve of each part: parts
 * may be replaced one after the other by others whose curves are nowhere below (upper value) or
 * nowhere above (lower value). No more is needed of a measure: neither total mass 1, nor that it
 * is the loss of a pair of distributions. Mass at an infinite loss m adds at most m to delta.
 * As a function of y = exp(eps) the curve of an atom is the hinge (P - y Q)_+, with P its mass and
 * Q = P exp(-l); so curves are convex in y, with kinks where the atoms are. Moving mass so that
 * total P and total Q stay the same changes the curve only between the places involved. */
#ifndef TC_PRIVACY_PLD_INT_H
#define TC_PRIVACY_PLD_INT_H

#include "base/memory.h"
#include "privacy/dp_event.h"

#include <stdbool.h>
#include <stdint.h>

#define TC_PLD_ULP 0x1p-53 /* the unit round-off u */

/* ---- the different events of a list */

#define TC_PLD_KINDS 512

typedef struct tc_pld_kinds {
    tacit_dp_event event[TC_PLD_KINDS];
    size_t n;
    bool nonprivate; /* one of the events is without any guarantee */
    double pad;      /* what gathering may have changed epsilon by */
} tc_pld_kinds;

/* Checks the events too. */
tacit_status tc_pld_gather(tc_pld_kinds *k, const tacit_dp_event *events, size_t n,
                           tacit_error *err);

/* ---- source: direction "remove", P = (1-q) Q0 + q P0 against Q0; see pld_source.c */

typedef struct tc_pld_source {
    tacit_dp_mechanism mechanism;
    double q;     /* sampling rate */
    double shift; /* Gaussian: c = 1/z; Laplace and pure: epsilon */
    uint64_t count;
    bool symmetric;                    /* both directions have the same loss: q = 1 */
    double low[2], high[2];            /* ranges of outcomes u that have a density */
    double steep;                      /* bound on the logarithmic slopes there */
    double atom_loss[2], atom_mass[2]; /* outcomes with a probability */
    unsigned ranges, atoms;
    double least, most; /* all losses lie in between */
    double peak;        /* a loss near which there is much mass */
    double lost;        /* bound on the P mass outside, in either direction */
    double error;       /* bound on the relative error of a computed mass, in u */
} tc_pld_source;

/* `lost` is what may be left out; E_NUMERIC where the range of losses is beyond a double's reach. */
tacit_status tc_pld_source_of(tc_pld_source *s, const tacit_dp_event *e, double lost,
                              tacit_error *err);
void tc_pld_gaussian(tc_pld_source *s, double lost); /* pld_gaussian.c */
void tc_pld_laplace(tc_pld_source *s, double lost);  /* pld_laplace.c */
void tc_pld_pure(tc_pld_source *s);

/* ln of the densities of outcome u under P0 and Q0, and ln P0/Q0. */
typedef struct tc_pld_base {
    double log_p, log_q, loss;
} tc_pld_base;
tc_pld_base tc_pld_base_at(const tc_pld_source *s, double u);
tc_pld_base tc_pld_gaussian_at(const tc_pld_source *s, double u);
tc_pld_base tc_pld_laplace_at(const tc_pld_source *s, double u);

double tc_pld_sampled_loss(double q, double base_loss); /* ln(1 - q + q exp(a)) */
double tc_pld_base_loss(double q, double loss);         /* its inverse; -INFINITY below the range */
/* The density of outcome u under P, and its loss. */
double tc_pld_density(const tc_pld_source *s, double u, double *loss);

/* ---- cells: grid points l_i = offset + i h, i = first..first+n. Half cell 2k is the lower half of
 * the cell above l_{first+k}, half cell 2k+1 the upper half. */

typedef struct tc_pld_cells {
    double h, offset;
    int64_t first;
    size_t n;       /* cells; 2n half cells */
    double *mass;   /* P of a half cell */
    double *excess; /* P - exp(l) Q of it, l the grid point that it touches: >= 0 for even ones */
} tc_pld_cells;

tacit_status tc_pld_cells_fill(tc_pld_cells *c, const tc_pld_source *s, double h, tc_arena *arena,
                               tacit_error *err);
/* The same for direction "add": P and Q exchange places, losses change sign. */
tacit_status tc_pld_cells_swap(tc_pld_cells *out, const tc_pld_cells *c, tc_arena *arena,
                               tacit_error *err);

/* ---- measures */

typedef struct tc_pld_measure {
    double h, offset;
    int64_t first;
    size_t n;
    double *p; /* mass at offset + (first + i) h, i < n */
} tc_pld_measure;

static inline double tc_pld_loss(const tc_pld_measure *m, size_t i)
{
    return m->offset + (double)(m->first + (int64_t)i) * m->h;
}

tacit_status tc_pld_above(tc_pld_measure *m, const tc_pld_cells *c, tc_arena *arena,
                          tacit_error *err);
tacit_status tc_pld_below(tc_pld_measure *m, const tc_pld_cells *c, tc_arena *arena,
                          tacit_error *err);

/* ---- one direction: all events, both bounds */

typedef struct tc_pld_part {
    tc_pld_measure above, below;
    uint64_t count;
    double error; /* bound on the relative error of a density, in u */
} tc_pld_part;

typedef struct tc_pld_parts {
    tc_pld_part *part;
    size_t n;
    double h;
    double lost; /* P mass at infinity, all counts together */
} tc_pld_parts;

/* ---- tilt */

enum { TC_PLD_ABOVE, TC_PLD_BELOW }; /* which of the two bounds */

/* ln of the sum of p_i exp(lambda l_i); -INFINITY for an empty measure. */
double tc_pld_log_mgf(const tc_pld_measure *m, double lambda);
/* The mean of |loss| under the tilt. */
double tc_pld_mean_size(const tc_pld_measure *m, double lambda);
const tc_pld_measure *tc_pld_measure_of(const tc_pld_part *part, int bound);

typedef struct tc_pld_tilt {
    double lambda;
    double guess;       /* a loss near the epsilon that is looked for */
    double right, left; /* lambda + right, lambda - left: where the tails are bounded */
    int64_t start;      /* the window: grid indices start..start + size - 1 of the sum of losses */
    double size;        /* as wanted; a power of two is made of it later */
} tc_pld_tilt;

/* `hint` is what epsilon is thought to be, or 0. */
void tc_pld_plan(const tc_pld_parts *parts, double delta, double hint, tc_pld_tilt *t);
double tc_pld_total(const tc_pld_parts *parts, int bound, double lambda); /* sum of count ln mgf */
double tc_pld_offset(const tc_pld_parts *parts, int bound); /* loss of index 0 of the sum */
/* Tilted mass of the composition outside the window of n points; right of it and on both sides. */
typedef struct tc_pld_tails {
    double right, left;
} tc_pld_tails;
tc_pld_tails tc_pld_outside(const tc_pld_parts *parts, int bound, const tc_pld_tilt *t, size_t n);

/* ---- compose: tilted, normalised masses in the window */

typedef struct tc_pld_sum {
    double *p[2];    /* by bound; n values each */
    double error[2]; /* every value is within this of the exact one */
    size_t n;
} tc_pld_sum;

tacit_status tc_pld_compose(tc_pld_sum *out, const tc_pld_parts *parts, const tc_pld_tilt *t,
                            unsigned log2_n, tc_arena *arena, tacit_error *err);

/* ---- epsilon */

typedef struct tc_pld_range {
    double lower, upper; /* upper INFINITY: no proof */
    double roundoff;     /* in delta */
} tc_pld_range;

tc_pld_range tc_pld_epsilon(const tc_pld_parts *parts, const tc_pld_tilt *t, const tc_pld_sum *sum,
                            double delta);

#endif
