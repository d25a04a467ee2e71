/* thompson.h - random features that all agents of a study share, and where a function of them is
 * largest. For fts/ and dp_fts_de/.
 *
 * Every party derives the same features from the public seed, so a function is a vector of M
 * weights: x -> phi(x)'omega. */
#ifndef TC_ALGO_THOMPSON_H
#define TC_ALGO_THOMPSON_H

#include "algo/algorithm.h"
#include "base/memory.h"
#include "num/rff.h"

#include <math.h>

/* ---- features (features.c) */

typedef struct tc_features_spec {
    size_t M;
    size_t regions; /* P >= 1: sub-regions of the space (space/partition.h) */
    int kernel;     /* tc_kernel_kind, with variance 1 */
    double lengthscale;
    bool unit; /* features of every point rescaled to norm 1 */
    bool even; /* frequencies spread evenly, not drawn one by one */
} tc_features_spec;

enum { TC_TILE = 32 }; /* candidates that are scored in one go */
enum { TC_PIVOTS = 4, TC_PANEL = TC_TILE / TC_PIVOTS };

/* Up to TC_PANEL tiles of one region: their pivots are a tile of their own. */
typedef struct tc_panel {
    size_t region, tile, tiles; /* the first tile, and how many */
} tc_panel;

/* One for all optimizers of a study in this process. Of a finite space it keeps the features of
 * all candidates, region by region: those of region i are the places start[i] .. start[i+1]-1.
 * For scoring they are kept once more as tiles, feature by feature: a tile holds TC_TILE slots of
 * one region, so the last of a region may have empty ones. */
typedef struct tc_features {
    size_t users;
    tc_rff rff;
    size_t regions, n;     /* candidates; 0 where the space is not finite */
    size_t *order, *place; /* candidate at a place, place of a candidate */
    size_t *start;         /* regions + 1 */
    double *Phi;           /* M x n */
    size_t *tile;          /* regions + 1: the first tile of each */
    size_t slots;          /* of all tiles */
    size_t *slot;          /* of a candidate */
    size_t *held;          /* the candidate in a slot; n: empty */
    double *tiles;         /* tile t, feature m, its slot i: tiles[(t M + m) TC_TILE + i] */
    /* What bounds scores from above (outline.c): */
    bool outlined; /* well enough to be worth it */
    size_t panels;
    tc_panel *panel;
    double *pivots; /* a tile for each panel */
    double *spread; /* tile t, pivot j, slot i: spread[(t TC_PIVOTS + j) TC_TILE + i] */
    double *off;    /* of a tile: how far its features are from what pivots say */
    tc_arena memory;
} tc_features;

/* The guess of a length-scale where nothing is known but the dimension of the encoded space. */
double tc_usual_lengthscale(size_t dim);

tacit_status tc_features_new(tc_features **out, const tc_env *env, const tc_features_spec *spec,
                             tacit_error *err);
void tc_features_unref(tc_features *f); /* the last user ends it; NULL is allowed */
/* For features.c (outline.c). */
tacit_status tc_features_outline(tc_features *f, tacit_error *err);

/* ---- scores of a finite space (score.c) */

/* x -> phi(x)' omega^(i[x]), and the slots that are not wanted. */
typedef struct tc_score {
    const double *omega;
    size_t step; /* from the omega of a region to the next: M, or 0 if there is one for all */
    const unsigned char *shut; /* slots */
} tc_score;

/* best[j] = the slot where score j is largest, of those whose shut has none of the bits `avoid`;
 * f->slots if there is none. Ties: the first. Features are summed in one fixed order, whatever k. */
void tc_score_best(const tc_features *f, size_t k, const tc_score *score, unsigned avoid,
                   size_t *best);

/* A value as models take it. What is further off than any square can tell, such as with a y_scale
 * that is far too small, is taken to be at the end of that range: models stay numbers. */
static inline double tc_standard_value(double y, double mean, double scale)
{
    double most = 1e75, v = (y - mean) / scale;
    return v > most ? most : v < -most ? -most : v;
}

/* A regression with noise of variance lambda takes features and value times this where the noise is known to have the
 * variance v beside lambda: the same as a weight of lambda/(lambda + v). 1 without such noise. */
static inline double tc_noise_weight(double lambda, double v)
{
    return v > 0 ? sqrt(lambda / (lambda + v)) : 1;
}

/* ---- where a function is largest (search.c, search_box.c) */

/* x -> phi(x)' omega^(i[x]); one region: a Thompson draw. */
typedef struct tc_target {
    const double *omega; /* M for each region */
    size_t regions;
    size_t since;  /* keep away from the observations from this one on, and from open trials ... */
    double radius; /* ... by this much in the unit cube, where any point is left; 0: no need */
} tc_target;

typedef struct tc_search {
    const tc_env *env;
    const tc_features *features;
    const tc_target *target; /* of the present call */
    size_t n;                /* slots, or points of a box */
    unsigned char *shut;     /* bits: known, near, empty */
    size_t marked;           /* a finite space: observations that shut has already ... */
    bool passing;            /* ... and whether it has anything of the last call alone */
    double *score, *X;       /* a box: n, and n x dim, row by row */
    double *starts, *values, *u;
    unsigned char *free; /* dim */
    tc_arena memory;
} tc_search;

enum { TC_SEARCH_KNOWN = 1, TC_SEARCH_NEAR = 2, TC_SEARCH_EMPTY = 4 };

tacit_status tc_search_init(tc_search *s, const tc_env *env, const tc_features *f,
                            tacit_error *err);
void tc_search_fini(tc_search *s);
/* The best point that is not known yet: first of those away from others, then of all. */
tacit_status tc_search_maximise(tc_search *s, const tc_target *t, uint64_t trial, double *values,
                                tacit_error *err);
/* k searches over one set of features: the same bits as one by one. */
tacit_status tc_search_maximise_many(tc_search *const *s, const tc_target *t, const uint64_t *trial,
                                     double *const *values, size_t k, tacit_error *err);
/* For search_box.c. */
tacit_status tc_search_box(tc_search *s, uint64_t trial, double *values, tacit_error *err);
unsigned char tc_search_shut(const tc_search *s, const double *u);
size_t tc_search_pick(const tc_search *s);

#endif
